import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Migration, readMigrations } from '@sheaf/db/migrations';

const MIGRATIONS = join(import.meta.dirname, '../../drizzle');

/** The migrations of a later version: those of this one and `extra`, SQL by the name of its file, such as `9001_add_notes`. */
export const readLaterMigrations = async (extra: Readonly<Record<string, string>>): Promise<readonly Migration[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-migrations-'));
  try {
    await cp(MIGRATIONS, folder, { recursive: true });
    for (const [name, up] of Object.entries(extra)) {
      await writeFile(join(folder, `${name}.sql`), up);
      await writeFile(join(folder, `${name}.down.sql`), 'select 1;');
    }
    return await readMigrations(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};
