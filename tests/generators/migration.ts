import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/;

/** Writes the next migration and its way back into `folder`, and returns their paths. */
export const newMigration = (folder: string, name: string): string[] => {
  if (!NAME.test(name)) throw new Error(`"${name}" is not a name such as add_document_notes`);
  const numbers = readdirSync(folder).map((file) => Number(/^(\d{4})_/.exec(file)?.[1] ?? 0));
  const version = String(Math.max(0, ...numbers) + 1).padStart(4, '0');
  const [up, down] = [join(folder, `${version}_${name}.sql`), join(folder, `${version}_${name}.down.sql`)];
  writeFileSync(
    up,
    '-- What changes, and why. It runs in one transaction; the same change belongs in packages/db/src/schema. Say from which schema on code works\n' +
      '-- with it (docs/contributing/adding-a-migration.md), or it stops all processes of older versions.\nselect 1;\n',
  );
  writeFileSync(down, '-- The way back: the schema is as it was before.\nselect 1;\n');
  return [up, down];
};
