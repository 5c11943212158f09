import { customFieldBody, updateFieldRequest } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { type CustomField, getField, listFields, requireFieldPermission } from '@sheaf/documents/custom-fields';
import { numbersOf, refuseField } from '@sheaf/paperless';
import { PAPERLESS_DATA_TYPES, PAPERLESS_FIELD_TYPES } from '@sheaf/paperless/archive';
import { MAX_FIELDS } from '@sheaf/vocabulary/custom-fields';
import { z } from 'zod';
import { changeField, create as createOwn, removeField, toChange } from '../fields/routes.ts';
import { parseInput } from '../http/parse-input.ts';
import { changeRoutes, createRoute, emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { pageOfEntries } from './entries.ts';
import { anyQuery, numberParams, presentOne, requireNumber } from './query.ts';
import { askRoute, PAPERLESS_PREFIX, type PaperlessServices, pageBody, requestBody } from './requests.ts';

const PATH = `${PAPERLESS_PREFIX}/custom_fields`;
const ONE = { path: `${PATH}/{id}`, params: numberParams, query: anyQuery } as const;

const fieldBody = z.strictObject({
  id: z.int(),
  name: z.string(),
  data_type: z.enum(Object.values(PAPERLESS_DATA_TYPES)),
  extra_data: z.strictObject({
    select_options: z.array(z.strictObject({ id: z.string(), label: z.string() })),
    default_currency: z.string().nullable(),
  }),
  document_count: z.int(),
});
type FieldBody = z.infer<typeof fieldBody>;

/** A choice is its own id: it is known by its text here. */
const present = async (db: Db, fields: readonly CustomField[]): Promise<FieldBody[]> => {
  const numberOf = await numbersOf(
    db,
    fields.map(({ id }) => ({ kind: 'custom_field', id })),
  );
  return fields.map(({ id, name, type, choices, defaultCurrency, documents }) => ({
    id: numberOf('custom_field', id),
    name,
    data_type: PAPERLESS_DATA_TYPES[type],
    extra_data: { select_options: choices.map((choice) => ({ id: choice, label: choice })), default_currency: defaultCurrency },
    document_count: documents,
  }));
};

const fieldRequest = requestBody(
  {
    name: z.string().optional(),
    data_type: z.string().max(50).optional(),
    extra_data: z
      .strictObject({
        default_currency: z.string().max(3).nullish(),
        select_options: z.array(z.union([z.string(), z.strictObject({ id: z.string().nullish(), label: z.string() })])).nullish(),
      })
      .nullish(),
  },
  fieldBody,
);

const typeOf = (dataType: string) => {
  const type = Object.hasOwn(PAPERLESS_FIELD_TYPES, dataType) ? PAPERLESS_FIELD_TYPES[dataType] : undefined;
  if (type === undefined) throw refuseField('data_type', `"${dataType}" is not a valid choice.`);
  return type;
};

/** Choices that are called otherwise from now on: their id is what they were called. */
const renamedChoices = ({ extra_data: extra }: z.infer<typeof fieldRequest>): ReadonlyMap<string, string> =>
  new Map(extra?.select_options?.flatMap((option) => (typeof option === 'object' && option.id ? [[option.id, option.label]] : [])));

const toRequest = ({ name, data_type: dataType, extra_data: extra }: z.infer<typeof fieldRequest>): Record<string, unknown> => {
  const options = extra?.select_options?.map((option) => (typeof option === 'string' ? option : option.label)) ?? [];
  return {
    ...(name === undefined ? {} : { name }),
    ...(dataType === undefined ? {} : { type: typeOf(dataType) }),
    ...(options.length === 0 ? {} : { choices: options }),
    ...(extra?.default_currency === undefined ? {} : { default_currency: extra.default_currency || null }),
  };
};

export const customFieldRoutes = (services: PaperlessServices): readonly Route[] => {
  const { db } = services.database;
  const readOne = async (principal: Parameters<typeof getField>[1], id: string): Promise<FieldBody> =>
    presentOne(await present(db, [await getField(db, principal, id)]));
  return [
    jsonRoute({
      method: 'get',
      path: PATH,
      access: 'documents.read',
      summary: 'List custom fields',
      query: anyQuery,
      response: pageBody(fieldBody),
      handle: async ({ query, principal, context }) => {
        const { rows } = await listFields(db, principal, { page: 1, perPage: MAX_FIELDS, sort: 'name', order: 'asc' });
        return pageOfEntries(await present(db, rows), { path: '/custom_fields', query, context });
      },
    }),
    createRoute({
      path: PATH,
      access: 'settings.update',
      summary: 'Create a custom field',
      query: anyQuery,
      body: fieldRequest,
      response: fieldBody,
      handle: async ({ body, principal, context }) => {
        const { id } = await askRoute(createOwn(services), customFieldBody, { body: toRequest(body), principal, context });
        return readOne(principal, id);
      },
    }),
    jsonRoute({
      ...ONE,
      method: 'get',
      access: 'documents.read',
      summary: 'Get a custom field',
      response: fieldBody,
      handle: async ({ params, principal }) => readOne(principal, await requireNumber(db, 'custom_field', params)),
    }),
    ...changeRoutes({
      ...ONE,
      access: 'settings.update',
      summary: 'Change a custom field',
      body: fieldRequest,
      response: fieldBody,
      handle: async ({ params, body, principal, context }) => {
        const id = await requireNumber(db, 'custom_field', params);
        requireFieldPermission(principal);
        const change = toChange(parseInput(updateFieldRequest, toRequest(body), 'body'));
        const { address } = context;
        await db.transaction((tx) =>
          changeField(tx, { principal, address }, id, { ...change, confirm: 'all', renamedChoices: renamedChoices(body) }),
        );
        return readOne(principal, id);
      },
    }),
    emptyRoute({
      ...ONE,
      method: 'delete',
      access: 'settings.update',
      summary: 'Delete a custom field with its values',
      done: 'Deleted',
      handle: async ({ params, principal, context: { address } }) =>
        removeField(db, { principal, address }, await requireNumber(db, 'custom_field', params), 'all'),
    }),
  ];
};
