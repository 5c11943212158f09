import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PATH = /^\/api\/[a-z][a-z\d-]*(?:\/(?:[a-z][a-z\d-]*|\{id\}))*$/;
const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete'];

export interface NewEndpoint {
  readonly method: string;
  /** Such as /api/documents/{id}/notes. */
  readonly path: string;
  /** An action of the permission table, or signed-in. */
  readonly access: string;
}

const routeText = ({ method, path, access }: NewEndpoint): string => {
  const hasId = path.includes('{id}');
  return `import { z } from 'zod';
${hasId ? "import { idParams } from '../http/parse-input.ts';\n" : ''}import { jsonRoute, type Route } from '../http/route.ts';

export const answer = z.strictObject({ done: z.boolean() });

/** The parts that it works with are its argument: the database, a store, never all that the api has. */
export const route = (): Route =>
  jsonRoute({
    method: '${method}',
    path: '${path}',
    access: '${access}',
    summary: 'What it does, in one line',
${hasId ? '    params: idParams,\n' : ''}    status: 200,
    response: answer,
    handle: async () => ({ done: true }),
  });
`;
};

const testText = ({ method, path }: NewEndpoint, name: string): string => `import test from 'ava';
import { answer, route } from '../../../apps/api/src/${name}.ts';

test('${method} ${path} answers what it declares', (t) => {
  t.like(route(), { method: '${method}', path: '${path}' });
  t.true(answer.safeParse({ done: true }).success);
});
`;

/** Writes a route and a test of it below `root`, and returns their paths. The route is not mounted yet. */
export const newEndpoint = (root: string, endpoint: NewEndpoint): string[] => {
  const { method, path } = endpoint;
  if (!METHODS.includes(method)) throw new Error(`"${method}" is none of ${METHODS.join(', ')}`);
  if (!PATH.test(path)) throw new Error(`"${path}" is not a path such as /api/documents/{id}/notes`);
  const [folder = '', ...rest] = path.split('/').slice(2);
  const name = `${folder}/${[method, ...rest.filter((part) => part !== '{id}')].join('-')}`;
  const files: readonly (readonly [path: string, text: string])[] = [
    [join(root, `apps/api/src/${name}.ts`), routeText(endpoint)],
    [join(root, `tests/integration/api/${name.replace('/', '-')}.test.ts`), testText(endpoint, name)],
  ];
  for (const [file] of files) if (existsSync(file)) throw new Error(`${file} is there already`);
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return files.map(([file]) => file);
};
