import { recordAudit } from '@sheaf/accounts/users';
import {
  type CustomFieldBody,
  createFieldRequest,
  customFieldBody,
  deleteFieldQuery,
  fieldListQuery,
  mergeFieldRequest,
  type UpdateFieldRequest,
  updateFieldRequest,
} from '@sheaf/contract/documents';
import type { Database, Db } from '@sheaf/db';
import {
  type Confirmation,
  type CustomField,
  createField,
  deleteField,
  type FieldChange,
  getField,
  listFields,
  listFieldsAfter,
  mergeFields,
  requireFieldPermission,
  updateField,
} from '@sheaf/documents/custom-fields';
import type { Actor } from '../http/authenticate.ts';
import { type Cursors, rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { type ChangeRoutes, changeRoutes, createRoute, emptyRoute, jsonRoute, type Route } from '../http/route.ts';

/** A request as a change. */
export const toChange = ({
  name,
  type,
  choices,
  default_currency: defaultCurrency,
  document_type_id: documentTypeId,
  confirm,
}: UpdateFieldRequest): FieldChange => ({
  ...(name === undefined ? {} : { name }),
  ...(type === undefined ? {} : { type }),
  ...(choices === undefined ? {} : { choices }),
  ...(defaultCurrency === undefined ? {} : { defaultCurrency }),
  ...(documentTypeId === undefined ? {} : { documentTypeId }),
  confirm,
});

/** Changes a field, with an entry in the audit log. Throws what `updateField` does. */
export const changeField = async (
  tx: Db,
  { principal, address }: Actor,
  id: string,
  change: FieldChange,
  requireMatch?: (tx: Db) => Promise<void>,
): Promise<void> => {
  const before = await updateField(tx, principal, id, change, requireMatch);
  const { confirm: _confirm, renamedChoices: _renamed, ...changed } = change;
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'field.updated',
    outcome: 'success',
    subject: { type: 'field', id },
    details: { name: before.name, changed: Object.keys(changed) },
  });
};

/** Deletes a field with its values, with an entry in the audit log. Throws what `deleteField` does. */
export const removeField = (db: Db, { principal, address }: Actor, id: string, confirm: Confirmation): Promise<void> => {
  requireFieldPermission(principal);
  return db.transaction(async (tx) => {
    const { name, type, documents } = await deleteField(tx, id, confirm);
    await recordAudit(tx, {
      actor: principal,
      address,
      action: 'field.deleted',
      outcome: 'success',
      subject: { type: 'field', id },
      details: { name, type, document_count: documents },
    });
  });
};

export const update = ({ database: { db } }: FieldServices): ChangeRoutes =>
  changeRoutes({
    path: '/api/fields/{id}',
    access: 'settings.update',
    summary: 'Change a custom field',
    description:
      'Only the given fields change; PUT and PATCH are equivalent. Returns 409 with `document_count` if the type is changed while documents have a value, or if a removed choice is the value of documents and `confirm` is not their number; with `confirm`, they lose the value and keep the field without one.',
    errors: {
      FIELD_NOT_FOUND: 'NOT_FOUND',
      DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE',
      FIELD_HAS_VALUES: 'DUPLICATE_RESOURCE',
      FIELD_CHOICE_IN_USE: 'DUPLICATE_RESOURCE',
    },
    params: idParams,
    body: updateFieldRequest,
    response: customFieldBody,
    present: async ({ params, principal }, reader) => toFieldBody(await getField(reader, principal, params.id)),
    handle: async ({ params: { id }, body, principal, context: { address, requireMatch } }) => {
      requireFieldPermission(principal);
      return db.transaction(async (tx) => {
        await changeField(tx, { principal, address }, id, toChange(body), requireMatch);
        return toFieldBody(await getField(tx, principal, id));
      });
    },
  });

export const remove = ({ database: { db } }: FieldServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/fields/{id}',
    access: 'settings.update',
    summary: 'Delete a custom field with its values; its documents remain',
    description:
      'While documents have the field, with or without a value, `confirm` must be their number; otherwise the response is 409 with `document_count`.',
    done: 'Deleted',
    errors: { FIELD_NOT_FOUND: 'NOT_FOUND', FIELD_IN_USE: 'DUPLICATE_RESOURCE' },
    params: idParams,
    query: deleteFieldQuery,
    handle: ({ params: { id }, query: { confirm }, principal, context: { address } }) =>
      removeField(db, { principal, address }, id, confirm),
  });

export const merge = ({ database: { db } }: FieldServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/fields/{id}/merge',
    access: 'settings.update',
    summary: 'Merge a custom field into another one of the same type',
    description:
      'Documents keep the value of the field `into` where they have both. The choices of both remain. Returns the remaining field, and 409 for fields of different types.',
    errors: { FIELD_NOT_FOUND: 'NOT_FOUND', FIELD_TYPES_DIFFER: 'DUPLICATE_RESOURCE', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    params: idParams,
    body: mergeFieldRequest,
    response: customFieldBody,
    handle: async ({ params: { id }, body: { into }, principal, context: { address } }) => {
      requireFieldPermission(principal);
      return db.transaction(async (tx) => {
        const { gone, remaining, documents } = await mergeFields(tx, id, into);
        await recordAudit(tx, {
          actor: principal,
          address,
          action: 'field.merged',
          outcome: 'success',
          subject: { type: 'field', id },
          details: { name: gone.name, into, into_name: remaining.name, document_count: documents },
        });
        return toFieldBody(await getField(tx, principal, into));
      });
    },
  });

/** What the routes of custom fields use. */
export interface FieldServices {
  readonly database: Database;
  readonly cursors: Cursors;
}

export const toFieldBody = (field: CustomField): CustomFieldBody => ({
  id: field.id,
  name: field.name,
  type: field.type,
  choices: [...field.choices],
  default_currency: field.defaultCurrency,
  document_type_id: field.documentTypeId,
  document_count: field.documents,
  empty_count: field.emptyDocuments,
  created_by: field.createdBy,
  created_at: field.createdAt.toISOString(),
});

export const fieldRoutes = (services: FieldServices): readonly Route[] => [
  list(services),
  create(services),
  read(services),
  ...update(services),
  remove(services),
  merge(services),
];

const list = ({ cursors }: FieldServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/fields',
    access: 'documents.read',
    mayReadReplica: true,
    summary: 'List custom fields with the number of documents visible to the caller',
    query: fieldListQuery,
    name: 'data',
    item: customFieldBody,
    list: listFields,
    listAfter: listFieldsAfter,
    toBody: toFieldBody,
  });

export const create = ({ database }: FieldServices): Route =>
  createRoute({
    path: '/api/fields',
    access: 'settings.update',
    summary: 'Create a custom field; 409 with the ID of an existing field of this name',
    description:
      'Names are unique, case-insensitive. `choices` are required for the type choice, and for no other type. `default_currency` is for the type amount only.',
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: createFieldRequest,
    response: customFieldBody,
    handle: async ({
      body: { document_type_id: documentTypeId, default_currency: defaultCurrency, ...body },
      principal,
      context: { address },
    }) => {
      requireFieldPermission(principal);
      return database.db.transaction(async (tx) => {
        const field = await createField(tx, principal, { ...body, documentTypeId, defaultCurrency });
        await recordAudit(tx, {
          actor: principal,
          address,
          action: 'field.created',
          outcome: 'success',
          subject: { type: 'field', id: field.id },
          details: { name: field.name, type: field.type },
        });
        return toFieldBody(field);
      });
    },
  });

const read = ({ database }: FieldServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/fields/{id}',
    access: 'documents.read',
    summary: 'Get a custom field',
    errors: { FIELD_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: customFieldBody,
    handle: async ({ params, principal }) => toFieldBody(await getField(database.db, principal, params.id)),
  });
