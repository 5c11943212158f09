import { type Issue, toIssues } from '@sheaf/contract';
import { createLabelRequest } from '@sheaf/contract/documents';
import { advancedSearchRequest } from '@sheaf/contract/search';
import { createSourceRequest } from '@sheaf/contract/sources';
import { createUserRequest, userSettingsRequest } from '@sheaf/contract/users';
import test from 'ava';
import { z } from 'zod';

const issuesOf = (schema: z.ZodType, value: unknown): Issue[] => {
  const { error } = schema.safeParse(value, { reportInput: true });
  return error === undefined ? [] : toIssues(error);
};

/** Path, code and details of each issue. */
const told = (schema: z.ZodType, value: unknown) =>
  issuesOf(schema, value).map(({ path, code, details }) => [path, code, ...(Object.keys(details).length === 0 ? [] : [details])]);

const user = { username: 'anna', email: 'anna@example.org', password: 'x' };
const webdav = { type: 'webdav', name: 'Cloud', url: 'https://dav.example.org/' };

test('each rule of a form has its code, with the limits in the details', (t) => {
  t.deepEqual(told(createUserRequest, { ...user, username: 'an na' }), [['username', 'not_username']]);
  t.deepEqual(told(createUserRequest, { ...user, email: 'anna' }), [['email', 'not_email']]);
  t.deepEqual(told(createUserRequest, { ...user, password: '' }), [['password', 'required']]);
  t.deepEqual(told(createUserRequest, { ...user, password: undefined }), [['password', 'required']]);
  t.deepEqual(told(createUserRequest, { ...user, password: 7 }), [['password', 'wrong_type', { expected: 'string' }]]);
  t.deepEqual(told(createUserRequest, { ...user, display_name: 'a\u0007' }), [['display_name', 'control_characters']]);
  t.deepEqual(told(createUserRequest, { ...user, display_name: 'a'.repeat(201) }), [['display_name', 'too_long', { maximum: 200 }]]);
  t.deepEqual(told(createUserRequest, { ...user, nickname: 'a' }), [['', 'unknown_keys', { keys: ['nickname'] }]]);
  t.deepEqual(told(createLabelRequest, { name: ' ', color: 'red' }), [
    ['name', 'length_between', { minimum: 1, maximum: 100 }],
    ['color', 'not_color'],
  ]);
  t.deepEqual(told(userSettingsRequest, { theme: 'pink', language: '?', items_per_page: 1_000 }).slice(0, 2), [
    ['theme', 'not_one_of', { values: ['auto', 'light', 'dark'] }],
    ['language', 'not_language'],
  ]);
  t.deepEqual(told(createSourceRequest, { ...webdav, url: 'ftp://example.org' }), [['url', 'not_address']]);
  t.deepEqual(told(createSourceRequest, { ...webdav, url: 'https://a:b@example.org' }), [['url', 'credentials_in_address']]);
  t.deepEqual(told(createSourceRequest, { ...webdav, password: 'x' }), [['username', 'needed_with_password']]);
  t.deepEqual(told(createSourceRequest, { ...webdav, sync_interval: 5 }), [
    ['sync_interval', 'interval_between', { minimum_seconds: 60, maximum_seconds: 2_592_000 }],
  ]);
  t.deepEqual(told(createSourceRequest, { type: 'local_folder', name: 'a', settings: { path: 'papers' } }), [
    ['settings.path', 'not_absolute_path'],
  ]);
  t.deepEqual(told(z.strictObject({ ids: z.array(z.uuid()).min(1).max(2) }), { ids: [] }), [['ids', 'too_few', { minimum: 1 }]]);
  t.deepEqual(told(z.strictObject({ page: z.int().min(1) }), { page: 0 }), [['page', 'too_small', { minimum: 1 }]]);
  t.deepEqual(told(z.strictObject({ id: z.uuid(), day: z.iso.date() }), { id: 'x', day: 'y' }), [
    ['id', 'not_id'],
    ['day', 'not_date'],
  ]);
});

test('what is none of the forms that there are names them', (t) => {
  const clause = (field: string) => ({ query: { must: [{ field, value: 'x' }] } });
  const [[path, code, details] = []] = told(advancedSearchRequest, clause('size')) as [string, string, { values: string[] }][];
  t.deepEqual([path, code], ['query.must.0.field', 'not_one_of']);
  t.true(
    ['any', 'created_at', 'metadata.*'].every((value) => details?.values.includes(value)),
    JSON.stringify(details),
  );
  t.deepEqual(told(createSourceRequest, { ...webdav, type: 'ftp' }), [
    ['type', 'not_one_of', { values: ['webdav', 's3', 'local_folder'] }],
  ]);
  t.deepEqual(told(createSourceRequest, { name: 'a' }), [['type', 'not_one_of', { values: ['webdav', 's3', 'local_folder'] }]]);
  const either = z.union([z.strictObject({ set: z.enum(['a', 'b']), id: z.string() }), z.strictObject({ add_label: z.string() })]);
  t.deepEqual(told(either, {}), [['', 'lacks_fields', { forms: ['set + id', 'add_label'] }]]);
  t.deepEqual(told(either, { set: 'c', id: '1' }), [['set', 'not_one_of', { values: ['a', 'b'] }]]);
  t.deepEqual(told(z.union([z.string(), z.number(), z.record(z.string(), z.string())]), true), [
    ['', 'wrong_type', { expected: 'string, number, object' }],
  ]);
  t.deepEqual(told(z.union([z.string().max(2), z.number()]), 'long'), [['', 'too_long', { maximum: 2 }]]);
  t.deepEqual(told(z.union([z.literal('auto'), z.enum(['x', 'y'])]), 'z'), [['', 'not_one_of', { values: ['auto', 'x', 'y'] }]]);
});

test('a rule without a code of its own keeps its words', (t) => {
  t.deepEqual(
    issuesOf(
      z.string().refine(() => false, 'must be such a thing'),
      'x',
    ),
    [{ path: '', code: 'other', message: 'must be such a thing', details: {} }],
  );
});

test('an issue holds nothing of what was sent', (t) => {
  const sent = 'Sesame-open-1';
  const schemas = [z.string().max(3), z.email(), z.enum(['a']), z.uuid(), z.int(), z.array(z.string()), z.union([z.int(), z.boolean()])];
  for (const schema of schemas) t.false(JSON.stringify(issuesOf(z.strictObject({ a: schema }), { a: sent })).includes(sent));
});
