import { type Dirent, type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { contains } from "../tools/paths.ts";

/** Files and folders to watch. */
export interface WatchList {
  /** Absolute paths of folders, watched recursively. */
  folders: string[];
  /** Absolute path of the folder whose own entries are watched by name. */
  root: string;
  /** Names in `root`. */
  names: string[];
}

/** A running watcher. */
export interface Watcher {
  /** Replaces the watch list. Folders that do not exist yet are watched once they appear. */
  update(list: WatchList): void;
  close(): void;
}

/** Options for {@linkcode createWatcher}. */
export interface WatcherOptions {
  /** Called with the paths that changed at about the same time. */
  onChange(paths: Set<string>): void;
  /** Time for which events are collected, in milliseconds. Default: 5. */
  pause?: number;
}

interface Watch {
  watcher: FSWatcher;
  /** True when it covers the folders within, too. */
  isDeep: boolean;
  hasReported: boolean;
}

/**
 * True when one watch covers a whole tree. On Linux, Node below 26 loses every file that was
 * replaced once, as `sed -i`, `git checkout` and most editors do; watching each folder's own
 * entries works on all versions. Deno uses one inotify instance per watch, of which a user has 128,
 * and its recursive watches lose nothing.
 */
const followsTrees = process.platform !== "linux" || process.versions.deno !== undefined;

// Deno starts a watch slightly after `node:fs` requests it, and never for a folder that has just
// replaced a watched one.
const REST = 100;

/**
 * Watches folders, not files: an editor that saves by renaming replaces the file, and a watch on it
 * would follow the old one.
 */
export function createWatcher({ onChange, pause = 5 }: WatcherOptions): Watcher {
  const watchers = new Map<string, Watch>();
  let list: WatchList = { folders: [], root: "", names: [] };
  let changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timers = new Set<ReturnType<typeof setTimeout>>();

  function notice(path: string): void {
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const burst = changed;
      changed = new Set();
      try {
        for (const path of burst) if (isFollowed(path)) renew(path);
      } catch {
        // The system has no more watches: `update()`, which this change triggers, reports it.
      }
      onChange(burst);
    }, pause);
  }

  function isFollowed(path: string): boolean {
    return list.folders.some((folder) => contains(folder, path));
  }

  function isListed(path: string): boolean {
    return isFollowed(path) || (dirname(path) === list.root && list.names.includes(basename(path)));
  }

  /**
   * Watches a new folder, and stops watching one that was removed or replaced. The change is
   * reported after the watch has started, so that nothing in the folder is missed.
   */
  function renew(path: string): void {
    const isWatched = watchers.has(path);
    if (followsTrees && isWatched) return restart(path);
    if (followsTrees && !list.folders.includes(path)) return;
    if (isWatched) {
      for (const folder of watchers.keys()) if (contains(path, folder)) forget(folder);
    }
    if (!isFolder(path)) return;
    follow(path);
    if (followsTrees) prove(path, stampOf(path));
  }

  function restart(folder: string): void {
    later(() => {
      forget(folder);
      later(() => {
        if (isFolder(folder)) follow(folder);
        later(() => {
          onChange(new Set([folder]));
          prove(folder, stampOf(folder));
        });
      });
    });
  }

  /**
   * Looks for changes in a folder until its watch has reported one: on a busy machine it starts
   * late, or never.
   */
  function prove(folder: string, seen: string): void {
    later(() => {
      const watch = watchers.get(folder);
      if (watch === undefined) return;
      const found = stampOf(folder);
      if (found !== seen) {
        onChange(new Set([folder]));
        if (!watch.hasReported) return restart(folder);
      }
      if (!watch.hasReported) prove(folder, found);
    }, 5 * REST);
  }

  function later(act: () => void, rest = REST): void {
    const waiting = setTimeout(() => {
      timers.delete(waiting);
      act();
    }, rest);
    timers.add(waiting);
  }

  /**
   * Starts watching before reading the folder: an entry created meanwhile is found twice rather
   * than never.
   */
  function follow(folder: string): void {
    if (!attach(folder, followsTrees) || followsTrees) return;
    for (const entry of entriesOf(folder)) {
      // Packages are not edited, and consist of thousands of folders.
      if (entry.isDirectory() && entry.name !== "node_modules") follow(join(folder, entry.name));
    }
  }

  function attach(folder: string, isDeep: boolean): boolean {
    const present = watchers.get(folder);
    if (present && (present.isDeep || !isDeep)) return true;
    forget(folder);
    try {
      const watcher = watch(folder, { recursive: isDeep }, (_event, name) => {
        made.hasReported = true;
        const path = name === null ? folder : join(folder, name);
        if (isListed(path)) notice(path);
      });
      const made: Watch = { watcher, isDeep, hasReported: false };
      // A watch may fail when its folder was replaced.
      watcher.on("error", () => watchers.get(folder)?.watcher === watcher && forget(folder));
      watchers.set(folder, made);
      return true;
    } catch (error) {
      // The folder is gone; its parent's watch reports when it comes back.
      if (!isFolder(folder)) return false;
      throw error;
    }
  }

  function forget(folder: string): void {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  }

  return {
    update(next) {
      const before = list;
      list = next;
      const { folders, root } = next;
      const parents = [root, ...folders.map((folder) => dirname(folder))];
      for (const folder of watchers.keys()) {
        if (!parents.includes(folder) && !isFollowed(folder)) forget(folder);
      }
      // A folder reports its entries, and its parent reports its removal and return.
      for (const folder of folders) {
        const isNew = !before.folders.includes(folder) || !watchers.has(folder);
        if (isNew && isFolder(folder)) follow(folder);
      }
      for (const parent of parents) attach(parent, false);
    },
    close() {
      // An event that is on its way still arrives, and would start a timer anew.
      list = { folders: [], root: "", names: [] };
      for (const waiting of [timer, ...timers]) clearTimeout(waiting);
      for (const folder of watchers.keys()) forget(folder);
    },
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Content of a folder with its times; "" for none. */
function stampOf(folder: string): string {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
      const { ino, mtimeMs } = statSync(join(folder, name));
      return `${name}:${ino}:${mtimeMs}`;
    }).join();
  } catch {
    return "";
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
