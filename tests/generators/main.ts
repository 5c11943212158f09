// Writes the first form of something new, and says what is left to do.
import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { mountingStep, newEndpoint } from './endpoint.ts';
import { newMigration } from './migration.ts';
import { newVariable } from './variable.ts';

const ROOT = join(import.meta.dirname, '../..');
const USAGE = `Usage: npm run new:endpoint -- METHOD PATH ACCESS     get '/api/documents/{id}/notes' documents.read
       npm run new:variable -- NAME KIND GROUP        OCR_PAGE_LIMIT integer OCR
       npm run new:migration -- NAME                  add_document_notes
`;

const STEPS: Readonly<Record<string, readonly string[]>> = {
  endpoint: [
    'write the summary, the handler and its error codes; move the schema of the answer to packages/contract',
    'say in tests/support/endpoint-access.ts which roles may call it, and name a GET without an ID in tests/integration/api/two-users.test.ts',
    'extend the test, then run it with tests/integration/api/access.test.ts',
    'npm run docs, and CHANGELOG.md',
    'docs/contributing/adding-an-endpoint.md explains each step',
  ],
  variable: [
    'write its limits, default and meaning; return it from the section that needs it, such as packages/config/src/storage.ts',
    'pass it to the component in compose.ts of its program',
    'add a test of what it does, and its row in tests/spec/variable-behaviour.ts',
    'npm run docs',
  ],
  migration: [
    'write both ways',
    'make the same change in packages/db/src/schema',
    'bin/migrate up, status, down',
    'node tests/run.ts --full packages/db tests/e2e/upgrade.full.test.ts',
  ],
};

const generate = (what: string | undefined, [first = '', second = '', third = '']: readonly string[]): string[] => {
  if (what === 'endpoint') return newEndpoint(ROOT, { method: first.toLowerCase(), path: second, access: third });
  if (what === 'variable') return [newVariable(join(ROOT, 'packages/config/src'), { name: first, kind: second, group: third })];
  if (what === 'migration') return newMigration(join(ROOT, 'drizzle'), first);
  throw new Error('nothing to generate');
};

const [what, ...rest] = process.argv.slice(2);
try {
  const paths = generate(what, rest);
  const sources = paths.filter((path) => path.endsWith('.ts'));
  if (sources.length > 0)
    execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['check', '--write', ...sources], { cwd: ROOT, stdio: 'ignore' });
  process.stdout.write(paths.map((path) => `${relative(ROOT, path)}\n`).join(''));
  const steps = [...(what === 'endpoint' ? [mountingStep(ROOT, paths[0] ?? '')] : []), ...(STEPS[what ?? ''] ?? [])];
  process.stdout.write(`Left to do:\n${steps.map((step) => `  - ${step}\n`).join('')}`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}
