/** Splits a stream of text into lines, without their ends. */
export class TextLineStream extends TransformStream<string, string> {
  /** Makes the stream. */
  constructor() {
    let rest = "";
    super({
      transform(chunk, controller): void {
        const lines = (rest + chunk).split(/\r?\n/);
        rest = lines.pop() ?? "";
        for (const line of lines) controller.enqueue(line);
      },
      flush(controller): void {
        if (rest !== "") controller.enqueue(rest);
      },
    });
  }
}
