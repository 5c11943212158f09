// Writes the first form of something new, and says what is left to do.
import { join, relative } from 'node:path';
import { newEndpoint } from './endpoint.ts';
import { newMigration } from './migration.ts';
import { newVariable } from './variable.ts';

const ROOT = join(import.meta.dirname, '../..');
const USAGE = `Usage: npm run new:endpoint -- METHOD PATH ACCESS     get /api/documents/{id}/notes documents.read
       npm run new:variable -- NAME KIND GROUP        OCR_PAGE_LIMIT integer OCR
       npm run new:migration -- NAME                  add_document_notes
`;

const STEPS: Readonly<Record<string, readonly string[]>> = {
  endpoint: [
    'declare body, query and response in packages/contract, where the web client needs their types',
    'add the route to routes.ts of its folder',
    'replace the test by one over HTTP',
  ],
  variable: [
    'write its meaning; make it a field of the configuration in packages/config/src/config.ts',
    'add the test of what it does, and its row in tests/spec/variable-behaviour.ts',
    'npm run docs',
  ],
  migration: ['write both ways', 'make the same change in packages/db/src/schema', 'node tests/run.ts packages/db'],
};

const generate = (what: string | undefined, [first = '', second = '', third = '']: readonly string[]): string[] => {
  if (what === 'endpoint') return newEndpoint(ROOT, { method: first.toLowerCase(), path: second, access: third });
  if (what === 'variable') return [newVariable(join(ROOT, 'packages/config/src'), { name: first, kind: second, group: third })];
  if (what === 'migration') return newMigration(join(ROOT, 'drizzle'), first);
  throw new Error('nothing to generate');
};

const [what, ...rest] = process.argv.slice(2);
try {
  for (const path of generate(what, rest)) process.stdout.write(`${relative(ROOT, path)}\n`);
  process.stdout.write(`Left to do:\n${(STEPS[what ?? ''] ?? []).map((step) => `  - ${step}\n`).join('')}`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}
