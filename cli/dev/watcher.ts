import { existsSync, type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

/** What is watched. */
export interface WatchList {
  /** Absolute paths of folders, with everything below them. */
  folders: string[];
  /** Absolute path of the folder whose own entries are watched by name. */
  root: string;
  /** Names in `root`. */
  names: string[];
}

/** A running watcher. */
export interface Watcher {
  /** Replaces what is watched. Folders that do not exist yet are taken up when they appear. */
  update(list: WatchList): void;
  close(): void;
}

/** What {@linkcode createWatcher} needs. */
export interface WatcherOptions {
  /** Called with the paths that changed at nearly the same time. */
  onChange(paths: Set<string>): void;
  /** How long events are collected, in milliseconds. Default: 5. */
  pause?: number;
}

/**
 * Watches folders, not files: an editor that saves by renaming replaces the file, and a watch on it would watch the
 * old one.
 */
export function createWatcher({ onChange, pause = 5 }: WatcherOptions): Watcher {
  const watchers = new Map<string, FSWatcher>();
  let list: WatchList | undefined;
  let changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function notice(path: string): void {
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const burst = changed;
      changed = new Set();
      if (list) sync(list);
      onChange(burst);
    }, pause);
  }

  function open(folder: string, recursive: boolean, accept: (name: string) => boolean): void {
    const key = `${recursive ? "r" : "o"}:${folder}`;
    if (watchers.has(key) || !existsSync(folder)) return;
    const watcher = watch(folder, { recursive }, (_event, name) => {
      if (name === null || accept(name)) notice(join(folder, name ?? ""));
    });
    // A folder that was deleted: it is watched again when it comes back.
    watcher.on("error", () => forget(key));
    watchers.set(key, watcher);
  }

  function forget(key: string): void {
    watchers.get(key)?.close();
    watchers.delete(key);
  }

  function sync({ folders, root, names }: WatchList): void {
    const wanted = new Set([`o:${root}`, ...folders.map((folder) => `r:${folder}`)]);
    for (const key of [...watchers.keys()]) {
      if (!wanted.has(key) || !existsSync(key.slice(2))) forget(key);
    }
    open(root, false, (name) => list?.names.includes(name) ?? names.includes(name));
    for (const folder of folders) open(folder, true, () => true);
  }

  return {
    update(next) {
      list = next;
      sync(next);
    },
    close() {
      clearTimeout(timer);
      for (const key of [...watchers.keys()]) forget(key);
    },
  };
}
