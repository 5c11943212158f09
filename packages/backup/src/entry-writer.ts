/** Where an entry grows, under a name that is not its own yet. */
export interface EntryWriter {
  /** A path on the file system of the entry where the file `name` can be written; its folder is there. */
  pathFor(name: string): Promise<string>;
  /** Takes the file `name`, which is whole, at its path. `isSynced`: its bytes survive a power cut already. */
  take(name: string, options?: { readonly isSynced?: boolean }): Promise<void>;
  /** Gives the entry its name and returns its path. All of it survives a power cut then. */
  finish(): Promise<string>;
  /** Gives back what is open, after a failure; what was written stays for the next backup to take over. */
  abandon(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/** Names of what is not an entry yet begin with it. */
export const INCOMPLETE_PREFIX = '.incomplete-';
