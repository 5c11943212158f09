import type { LabelBody } from '@sheaf/contract/documents';
import type { CountedLabel } from '@sheaf/documents/labels';

export const toLabelBody = (label: CountedLabel): LabelBody => ({
  id: label.id,
  name: label.name,
  color: label.color,
  description: label.description,
  parent_id: label.parentId,
  path: [...label.path],
  document_count: label.documents,
  created_by: label.createdBy,
  created_at: label.createdAt.toISOString(),
});
