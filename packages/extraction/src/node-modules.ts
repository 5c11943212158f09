import { join } from 'node:path';

const PACKAGE = join(import.meta.dirname, '..');

/** What a Node program of this package opens while it starts: this package, and the packages of the project. */
export const NODE_MODULES: readonly string[] = [PACKAGE, join(PACKAGE, '../../node_modules')];
