import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const packageFile = z.object({ version: z.string() });

/** The version of Sheaf, as the package.json at the top says. */
export const VERSION = packageFile.parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))).version;
