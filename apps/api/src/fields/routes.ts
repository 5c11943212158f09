import { recordAudit } from '@sheaf/accounts/users';
import { createFieldRequest, customFieldBody, fieldListQuery } from '@sheaf/contract/documents';
import { createField, getField, listFields, listFieldsAfter, requireFieldPermission } from '@sheaf/documents/custom-fields';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { createRoute, jsonRoute, type Route } from '../http/route.ts';
import { type FieldServices, merge, remove, toFieldBody, update } from './change-field.ts';

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
