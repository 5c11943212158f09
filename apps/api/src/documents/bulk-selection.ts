import { firstAfter, notBefore } from '@sheaf/contract';
import type { BulkFilterBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import type { DocumentFilter, Selection } from '@sheaf/documents';
import { fieldConditions } from '@sheaf/documents/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';

interface Chosen {
  readonly ids?: readonly string[] | undefined;
  readonly filter?: BulkFilterBody | undefined;
}

/** The documents that a request about many of them names. */
export const readSelection = async (db: Db, principal: Principal, { ids = [], filter }: Chosen): Promise<Selection> =>
  filter === undefined
    ? { ids: [...new Set(ids)] }
    : { filter: toFilter(filter, await fieldConditions(db, principal, filter.fields, 'filter.fields')) };

/** Which documents a request names, of a list as of an action on many: both take the same filters. `fields` is the condition on custom fields. */
export const toFilter = (filter: BulkFilterBody, fields: DocumentFilter['fields']): DocumentFilter => ({
  status: filter.status,
  sourceId: filter.source_id,
  ownerId: filter.owner_id,
  language: filter.language,
  labelIds: filter.label_ids,
  labelMatch: filter.label_match,
  hasLabels: filter.has_labels,
  mimeTypes: filter.mime_types,
  from: filter.date_from === undefined ? undefined : notBefore(filter.date_from),
  before: filter.date_to === undefined ? undefined : firstAfter(filter.date_to),
  values: filter,
  importedFrom: filter.imported_from,
  correspondentIds: filter.correspondent_ids,
  hasCorrespondent: filter.has_correspondent,
  documentTypeIds: filter.document_type_ids,
  hasDocumentType: filter.has_document_type,
  hasSimilar: filter.has_similar,
  fields,
});
