import type { CustomFieldBody } from '@sheaf/contract/documents';
import type { CustomField } from '@sheaf/documents/custom-fields';

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
