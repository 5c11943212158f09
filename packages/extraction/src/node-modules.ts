import { join } from 'node:path';

/** What a Node program of this package opens while it starts: this package, and the packages of the project. */
export const nodeModules = (sourceFolder: string): readonly string[] => [
  join(sourceFolder, '..'),
  join(sourceFolder, '../../../node_modules'),
];
