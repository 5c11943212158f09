import {
  customFieldBody,
  deleteFieldQuery,
  mergeFieldRequest,
  type UpdateFieldRequest,
  updateFieldRequest,
} from '@sheaf/contract/documents';
import { deleteField, type FieldChange, getField, mergeFields, requireFieldPermission, updateField } from '@sheaf/custom-fields';
import { recordAudit } from '@sheaf/users';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { toFieldBody } from './field-body.ts';
import type { FieldServices } from './field-services.ts';

const toChange = ({ name, type, choices, document_type_id: documentTypeId, confirm }: UpdateFieldRequest): FieldChange => ({
  ...(name === undefined ? {} : { name }),
  ...(type === undefined ? {} : { type }),
  ...(choices === undefined ? {} : { choices }),
  ...(documentTypeId === undefined ? {} : { documentTypeId }),
  confirm,
});

const updateBy = (method: 'put' | 'patch', { database: { db } }: FieldServices): Route =>
  jsonRoute({
    method,
    path: '/api/fields/{id}',
    access: 'settings.update',
    summary: 'Change a custom field',
    description:
      'Only the given fields change; PUT and PATCH are equivalent. Returns 409 with `document_count` if the type is changed while documents have a value, or if a removed choice is the value of documents and `confirm` is not their number; with `confirm`, they lose the value.',
    errors: {
      FIELD_NOT_FOUND: 'NOT_FOUND',
      DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE',
      FIELD_HAS_VALUES: 'DUPLICATE_RESOURCE',
      FIELD_CHOICE_IN_USE: 'DUPLICATE_RESOURCE',
    },
    params: idParams,
    body: updateFieldRequest,
    status: 200,
    response: customFieldBody,
    present: async ({ params, principal }, reader) => toFieldBody(await getField(reader, principal, params.id)),
    handle: async ({ params: { id }, body, principal, context: { address, requireMatch } }) => {
      requireFieldPermission(principal);
      return db.transaction(async (tx) => {
        const before = await updateField(tx, principal, id, toChange(body), requireMatch);
        const field = await getField(tx, principal, id);
        await recordAudit(tx, {
          actor: principal,
          address,
          action: 'field.updated',
          outcome: 'success',
          subject: { type: 'field', id },
          details: { name: before.name, changed: Object.keys(toChange(body)).filter((key) => key !== 'confirm') },
        });
        return toFieldBody(field);
      });
    },
  });

export const put = (services: FieldServices): Route => updateBy('put', services);
export const patch = (services: FieldServices): Route => updateBy('patch', services);

export const remove = ({ database: { db } }: FieldServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/fields/{id}',
    access: 'settings.update',
    summary: 'Delete a custom field with its values; its documents remain',
    description: 'While documents have a value, `confirm` must be their number; otherwise the response is 409 with `document_count`.',
    done: 'Deleted',
    errors: { FIELD_NOT_FOUND: 'NOT_FOUND', FIELD_IN_USE: 'DUPLICATE_RESOURCE' },
    params: idParams,
    query: deleteFieldQuery,
    handle: async ({ params: { id }, query: { confirm }, principal, context: { address } }) => {
      requireFieldPermission(principal);
      await db.transaction(async (tx) => {
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
    },
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
    status: 200,
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
