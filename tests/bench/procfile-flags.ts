import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The flags that the Procfile gives a process: its memory depends on them. */
export const flagsOfProcfile = (name: string): string[] => {
  const lines = readFileSync(join(import.meta.dirname, '../../Procfile'), 'utf8').split('\n');
  const line = lines.find((text) => text.startsWith(`${name}:`));
  return line?.split(' ').filter((word) => word.startsWith('--')) ?? [];
};
