import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ACTIONS } from '@sheaf/vocabulary/permissions';

const PATH = /^\/api\/[a-z][a-z\d-]*(?:\/(?:[a-z][a-z\d-]*|\{id\}))*$/;
const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete'];
const ACCESSES: readonly string[] = [...ACTIONS, 'signed-in', 'session', 'anyone', 'anyone-known'];
const NOBODYS_ID = '00000000-0000-7000-8000-000000000000';

export interface NewEndpoint {
  readonly method: string;
  /** Such as /api/documents/{id}/notes. */
  readonly path: string;
  /** An action of the permission table, or one of the accesses that need none. */
  readonly access: string;
}

/** The name of the services that the routes of a folder share, and the file that declares them. */
const findServices = (folder: string): readonly [name: string, file: string] | undefined => {
  const [file] = globSync('*-services.ts', { cwd: folder });
  if (file === undefined) return undefined;
  const [, name] = /export interface (\w+Services) /.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
  return name === undefined ? undefined : [name, basename(file)];
};

const toCamelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const routeText = ({ method, path, access }: NewEndpoint, name: string, folder: string): string => {
  const hasId = path.includes('{id}');
  const [services, file] = findServices(folder) ?? [];
  const argument = services === undefined ? '' : `_services: ${services}`;
  return `import { z } from 'zod';
${hasId ? "import { idParams } from '../http/parse-input.ts';\n" : ''}import { jsonRoute, type Route } from '../http/route.ts';
${services === undefined ? '' : `import type { ${services} } from './${file}';\n`}
const answer = z.strictObject({ done: z.boolean() });

${services === undefined ? '' : `/** Take the services that it uses from its argument: ({ database }: ${services}). */\n`}export const ${toCamelCase(basename(name))} = (${argument}): Route =>
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

const testText = ({ method, path }: NewEndpoint): string => `import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

test('${method} ${path} answers what it declares', async (t) => {
${path.includes('{id}') ? '  // make a row and use its ID\n' : ''}  const response = await t.context.admin.request('${path.replaceAll('{id}', NOBODYS_ID)}', { method: '${method.toUpperCase()}' });
  t.is(response.status, 200, 'it is in routes.ts of its folder');
  t.deepEqual(await response.json(), { done: true });
});
`;

/** The file of a route, as folder/name: documents/notes for a GET of /api/documents/{id}/notes, notes/delete-notes for a DELETE of /api/notes/{id}. */
const nameOf = ({ method, path }: NewEndpoint): string => {
  const [folder = '', ...rest] = path
    .split('/')
    .slice(2)
    .filter((part) => part !== '{id}');
  const words = rest.length === 0 ? [method, folder] : [...(method === 'get' ? [] : [method]), ...rest];
  return `${folder}/${words.join('-')}`;
};

/** Writes a route and a test of it below `root`, and returns their paths. The route is not mounted yet. */
export const newEndpoint = (root: string, given: NewEndpoint): string[] => {
  const endpoint = { ...given, path: given.path.replaceAll(/:id\b/g, '{id}') };
  const { method, path, access } = endpoint;
  const [folder = ''] = path.split('/').slice(2);
  if (!METHODS.includes(method)) throw new Error(`"${method}" is none of ${METHODS.join(', ')}`);
  if (!PATH.test(path)) throw new Error(`"${path}" is not a path such as /api/documents/{id}/notes`);
  if (!ACCESSES.includes(access)) throw new Error(`"${access}" is none of ${ACCESSES.join(', ')}`);
  const name = nameOf(endpoint);
  const files: readonly (readonly [path: string, text: string])[] = [
    [join(root, `apps/api/src/${name}.ts`), routeText(endpoint, name, join(root, 'apps/api/src', folder))],
    [join(root, `tests/integration/api/${name.replace('/', '-')}.test.ts`), testText(endpoint)],
  ];
  for (const [file] of files) if (existsSync(file)) throw new Error(`${file} is there already`);
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return files.map(([file]) => file);
};
