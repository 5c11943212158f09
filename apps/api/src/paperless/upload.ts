import { permissionNeeded, validationError } from '@sheaf/contract';
import { type DocumentUpdate, documentBody, documentUpdate } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { columnsOf } from '@sheaf/documents';
import { holdFields, normalizeValue } from '@sheaf/documents/custom-fields';
import { requireReadableLabels } from '@sheaf/documents/labels';
import { requireFreeNow, UNIQUE_FIELD_ERRORS } from '@sheaf/documents/unique-fields';
import { ingest } from '@sheaf/ingest';
import { fromPaperlessFields, readFieldKinds, readIntegers, refuseField } from '@sheaf/paperless';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { requireFiling } from '../documents/document-filing.ts';
import { update as updateOwn } from '../documents/one-document.ts';
import { toUploadError, uploadedFile } from '../documents/uploads.ts';
import { parseInput, withoutEmpty } from '../http/parse-input.ts';
import { type RequestContext, type Route, streamRoute } from '../http/route.ts';
import { readUploadForm } from '../http/upload-form.ts';
import { givenFields, idIn, openFields, toFieldChanges } from './one-document.ts';
import { anyQuery, requireNumbers } from './query.ts';
import { askRoute, PAPERLESS_PREFIX, type PaperlessServices, requestBody } from './requests.ts';

/** One for each tag. */
const MAX_FIELDS = 200;
const FORM = { fileField: 'document', repeatable: new Set(['tags', 'custom_fields']), maxFields: MAX_FIELDS };

const integer = z
  .string()
  .regex(/^\d{1,10}$/)
  .transform(Number);

/** The fields beside the file. The web client of Paperless says that it sent the file. */
const uploadFields = requestBody(
  {
    title: z.string().trim().min(1).max(1_000).optional(),
    created: z.string().optional(),
    correspondent: integer.optional(),
    document_type: integer.optional(),
    storage_path: integer.optional(),
    tags: z.string().optional(),
    archive_serial_number: integer.optional(),
    custom_fields: z.string().optional(),
  },
  ['from_webui'],
);

/** What the sender sets, in our own terms. */
interface UploadOptions {
  readonly title: string | undefined;
  readonly labelIds: readonly string[];
  /** A change of the document once it is there; nothing where it is empty. */
  readonly update: Readonly<Record<string, unknown>>;
}

const parseFields = (text: string): z.infer<typeof givenFields> => {
  if (!/^\s{0,10}[[{]/.test(text)) return readIntegers('custom_fields', text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuseField('custom_fields', 'must be JSON');
  }
  return parseInput(z.object({ custom_fields: givenFields }), { custom_fields: value }, 'body').custom_fields;
};

/** Throws what the change would throw, as far as that can be known before the document is there. */
const requirePossible = async (db: Db, principal: Principal, update: Readonly<Record<string, unknown>>): Promise<void> => {
  if (Object.keys(update).length === 0) return;
  if (scopeOf(principal.permissions, 'documents.update') === 'none') throw permissionNeeded('documents.update');
  const wanted = parseInput(documentUpdate, update, 'body');
  await db.transaction((tx) => requireFiling(tx, principal, wanted, []));
  await requireFittingValues(db, wanted.fields ?? {});
};

/** Throws VALIDATION_ERROR for values that their fields cannot have; links are left to the change. */
const requireFittingValues = async (db: Db, values: NonNullable<DocumentUpdate['fields']>): Promise<void> => {
  const kinds = (await readFieldKinds(db)).filter(({ name, type }) => Object.hasOwn(values, name) && type !== 'document');
  const fields = await holdFields(
    db,
    kinds.map(({ id }) => id),
  );
  const issues = [...fields.values()].flatMap((field) => {
    const value = values[field.name] ?? null;
    const normal = value === null ? undefined : normalizeValue(field, value);
    return normal !== undefined && 'issueAt' in normal ? [normal.issueAt('custom_fields')] : [];
  });
  if (issues.length > 0) throw validationError('Some custom fields cannot have these values.', { issues });
};

/** Reads and checks all of it before anything of the document is recorded. */
const readOptions = async (
  given: Readonly<Record<string, string>>,
  principal: Principal,
  { database }: PaperlessServices,
): Promise<UploadOptions> => {
  const { db } = database;
  const fields = parseInput(uploadFields, withoutEmpty(given), 'body');
  if (fields.storage_path !== undefined) throw refuseField('storage_path', `Invalid pk "${fields.storage_path}" - object does not exist.`);
  const labelIds = await requireNumbers(db, 'tag', readIntegers('tags', fields.tags ?? ''), 'tags');
  await requireReadableLabels(db, principal, labelIds);
  const plain = fromPaperlessFields(fields);
  await requireFreeNow(db, principal, columnsOf(plain));
  const update = {
    ...plain,
    ...(fields.correspondent === undefined ? {} : { correspondent_id: await idIn(db, 'correspondent', fields.correspondent) }),
    ...(fields.document_type === undefined ? {} : { document_type_id: await idIn(db, 'document_type', fields.document_type) }),
    ...(fields.custom_fields === undefined ? {} : await toFieldChanges(await openFields(db), parseFields(fields.custom_fields))),
  };
  await requirePossible(db, principal, update);
  return { title: fields.title, labelIds, update };
};

/** The document is safe by now; what else is set is a change as people make it, which nothing that is found in the text undoes. */
const applyOptions = async (
  services: PaperlessServices,
  id: string,
  { update }: UploadOptions,
  caller: { readonly principal: Principal; readonly context: RequestContext },
): Promise<void> => {
  if (Object.keys(update).length > 0) await askRoute(updateOwn(services)[0], documentBody, { ...caller, params: { id }, body: update });
};

export const postDocument = (services: PaperlessServices): Route =>
  streamRoute({
    method: 'post',
    path: `${PAPERLESS_PREFIX}/documents/post_document`,
    access: 'documents.create',
    countsAs: 'upload',
    summary: 'Upload a file; answers the id of its task',
    content: {
      form: uploadFields.extend({ document: z.file() }),
      answers: [{ status: 200, description: 'The id of the task', schema: z.string() }],
    },
    errors: UNIQUE_FIELD_ERRORS,
    query: anyQuery,
    stream: async ({ principal, context }, { request, response }) => {
      await services.ingest.queue?.requireRoom();
      const { maxFileBytes } = services.ingest.settings.current();
      let options: UploadOptions | undefined;
      const result = await readUploadForm(request, { ...FORM, maxFileBytes }, ({ filename, body }, late) =>
        ingest(
          {
            ...uploadedFile(filename, body, principal, services),
            signal: context.signal,
            deferredOptions: async () => {
              options = await readOptions(await late(), principal, services);
              return { title: options.title, labelIds: options.labelIds };
            },
          },
          services.ingest,
        ),
      );
      if (result.outcome !== 'ingested') throw toUploadError(result);
      if (options !== undefined) await applyOptions(services, result.document.id, options, { principal, context });
      response.status(200).json(result.document.id);
    },
  });
