import { withoutOptionalNulls } from '@sheaf/contract';
import { documentUpdate } from '@sheaf/contract/documents';
import { advancedSearchRequest } from '@sheaf/contract/search';
import { createSourceRequest } from '@sheaf/contract/sources';
import test from 'ava';
import { z } from 'zod';

test('null for an optional field is as if it were absent, at any depth', (t) => {
  const inner = z.strictObject({ a: z.string().optional(), b: z.string().default('b'), c: z.string() });
  const schema = z.strictObject({
    one: inner.optional(),
    many: z.array(inner).default([]),
    by_name: z.record(z.string(), inner).optional(),
  });
  const given = { a: null, b: null, c: 'c' };
  t.deepEqual(withoutOptionalNulls(schema, { one: given, many: [given], by_name: { x: given } }), {
    one: { c: 'c' },
    many: [{ c: 'c' }],
    by_name: { x: { c: 'c' } },
  });
  t.deepEqual(withoutOptionalNulls(schema, { one: null, many: null, by_name: null }), {});
});

test('null stays where it means something, where the field is needed, and where there is no such field', (t) => {
  const schema = z.strictObject({ cleared: z.string().nullable().optional(), needed: z.string() });
  const given = { cleared: null, needed: null, unknown: null };
  t.deepEqual(withoutOptionalNulls(schema, given), given);
  t.deepEqual(withoutOptionalNulls(documentUpdate, { title: null, document_date: null, fields: { Price: null }, metadata: { a: null } }), {
    document_date: null,
    fields: { Price: null },
    metadata: { a: null },
  });
});

test('null is left out of the form of a union that the value has', (t) => {
  t.deepEqual(
    withoutOptionalNulls(createSourceRequest, {
      type: 'local_folder',
      name: 'a',
      sync_interval: null,
      recursive: null,
      settings: { path: '/a', barcodes: null },
    }),
    { type: 'local_folder', name: 'a', settings: { path: '/a' } },
  );
  t.true(
    advancedSearchRequest.safeParse(
      withoutOptionalNulls(advancedSearchRequest, {
        query: { must: [{ field: null, value: 'x', type: null }], should: null },
        filters: { date_range: { from: null, to: '2026' }, label_ids: null },
        sort: null,
      }),
    ).success,
  );
});

test('a field named __proto__ is one that is not known', (t) => {
  const schema = z.strictObject({ a: z.string().optional() });
  const given: unknown = JSON.parse('{"__proto__": {"a": "b"}, "a": null}');
  t.false(schema.safeParse(withoutOptionalNulls(schema, given)).success);
});
