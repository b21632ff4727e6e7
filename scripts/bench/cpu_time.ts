/**
 * CPU time of another process and all its threads, in microseconds; null where the system does not tell it (it does
 * on Linux).
 */
export async function cpuTimeOf(pid: number): Promise<number | null> {
  const folder = `/proc/${pid}/task`;
  try {
    let nanoseconds = 0;
    for await (const { name } of Deno.readDir(folder)) {
      const text = await Deno.readTextFile(`${folder}/${name}/schedstat`).catch(() => "0");
      nanoseconds += Number(text.split(" ")[0]);
    }
    return nanoseconds / 1000;
  } catch {
    return null;
  }
}

/** Ids of the processes that this one has started and that run; none where the system does not tell. */
export async function childProcesses(): Promise<number[]> {
  const folder = "/proc/self/task";
  const found: number[] = [];
  try {
    for await (const { name } of Deno.readDir(folder)) {
      const text = await Deno.readTextFile(`${folder}/${name}/children`).catch(() => "");
      found.push(...text.split(" ").filter((id) => id !== "").map(Number));
    }
  } catch {
    // Another system than Linux.
  }
  return found;
}

/** Bytes of a process that are in memory; null where the system does not tell. */
export async function residentBytes(pid: number): Promise<number | null> {
  const text = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
