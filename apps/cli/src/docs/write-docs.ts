// `npm run docs`: writes the generated pages of docs/ and deploy/service.example.yml.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generatedFiles, ROOT } from './generated-files.ts';

for (const [path, text] of await generatedFiles()) {
  await mkdir(dirname(join(ROOT, path)), { recursive: true });
  await writeFile(join(ROOT, path), text);
}
