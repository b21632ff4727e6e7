import { errorProps, fieldProps, Form } from "@framework/cli/form";
import { type ActionArgs, invalid, type PageProps, redirect } from "@framework/cli/runtime";
import { z } from "zod";

let sent = 0;

/** A generous policy, by which answers of other sites are readable. */
export const csp = { connect: ["http://127.0.0.1:*"], form: ["http://127.0.0.1:*"] };

export const input = z.object({
  title: z.string().min(3, "Please write at least three letters."),
  secret: z.string().optional(),
  text: z.string().default(""),
  version: z.string(),
  file: z.file().max(100, "The file is too large.").optional(),
  by: z.string().default("nobody"),
});

export async function action({ context, request }: ActionArgs<"/">) {
  const { title, file, by, text } = context.input;
  sent++;
  const wait = /^wait (\d+)/.exec(text);
  if (wait) await new Promise((resolve) => setTimeout(resolve, Number(wait[1])));
  const { origin } = new URL(request.url);
  if (title === "fragment") return redirect("/#end");
  if (title === "elsewhere") return redirect(`${origin.replace("localhost", "127.0.0.1")}/plain`);
  if (title === "script") {
    // redirect() refuses it; a proxy in front of the application may not.
    return new Response(null, {
      status: 303,
      headers: { location: "javascript:document.title='owned'" },
    });
  }
  if (title === "again") return redirect("/odd", 307);
  if (title === "foreign") return redirect(text, 307);
  if (title === "apart") {
    return new Response("<script>document.title = 'owned'</script><p id='apart'>", {
      headers: { "content-type": "text/html", "content-security-policy": "sandbox" },
    });
  }
  if (title === "refused") invalid({}, "Not today.");
  if (title === "fail") throw new Error("The shelf fell down");
  if (title === "page") return { saved: title };
  if (title === "file") {
    return new Response("a;b", {
      headers: {
        "content-type": "text/html",
        "content-disposition": 'attachment; filename="list.csv"',
      },
    });
  }
  context.flash.set(`${title}|${await file?.text()}|${by}|${sent}|${JSON.stringify(text)}`);
  return redirect("/");
}

export default function Page({ form, actionData }: PageProps<"/">) {
  return (
    <>
      {actionData !== undefined && <p id="saved">Saved</p>}
      <Form enctype="multipart/form-data">
        {form && <p role="alert" class="summary">{form.message}</p>}
        <input {...fieldProps(form, "title")} />
        <p {...errorProps(form, "title")} />
        <textarea {...fieldProps(form, "text", { type: "textarea" })} />
        <input {...fieldProps(form, "secret", { type: "password" })} />
        <input {...fieldProps(form, "file", { type: "file" })} />
        <p {...errorProps(form, "file")} />
        <input type="hidden" name="version" value={crypto.randomUUID()} />
        <button type="submit" id="send">Send</button>
        <button type="submit" id="second" name="by" value="second">Second</button>
        <button
          type="submit"
          id="odd"
          formaction="/odd"
          formenctype="application/x-www-form-urlencoded"
        >
          Odd
        </button>
        <button type="submit" id="get" formmethod="get" formaction="/plain">Get</button>
      </Form>
      <p id="end" />
    </>
  );
}
