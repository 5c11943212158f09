import { openNamelessFile } from './nameless-file.ts';
import { makeSeccompFilter } from './seccomp-filter.ts';

/** Where a program that this process starts can open the filter; undefined on machines that have none. */
export const openSeccompFilter = (): string | undefined => {
  const filter = makeSeccompFilter(process.arch);
  return filter && openNamelessFile(filter);
};
