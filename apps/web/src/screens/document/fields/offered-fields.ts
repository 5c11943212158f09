import type { CustomField } from '../../../components/use-all-fields.ts';

/** A document as far as its fields depend on it. */
interface Fielded {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly empty_fields: readonly string[];
  readonly document_type?: { readonly id: string } | null;
}

interface OfferedFields {
  /** Those that it has, with or without a value, and those of its type: these stand on the screen, those of its type first. */
  readonly shown: readonly CustomField[];
  /** What can be added, those without a type first. */
  readonly others: readonly CustomField[];
}

/** Whether the field is on the document, with or without a value. */
export const hasField = ({ fields, empty_fields: empty }: Fielded, { name }: Pick<CustomField, 'name'>): boolean =>
  Object.hasOwn(fields, name) || empty.includes(name);

/** The fields of a document in their order. `added` are the ids of those that are being added. */
export const offeredFields = (document: Fielded, all: readonly CustomField[], added: ReadonlySet<string>): OfferedFields => {
  const typeId = document.document_type?.id;
  const isOfType = ({ document_type_id: id }: CustomField): boolean => id !== null && id === typeId;
  const rank = (field: CustomField): number => (isOfType(field) ? 0 : field.document_type_id === null ? 1 : 2);
  const sorted = all.toSorted((a, b) => rank(a) - rank(b));
  const isShown = (field: CustomField): boolean => hasField(document, field) || isOfType(field) || added.has(field.id);
  return { shown: sorted.filter(isShown), others: sorted.filter((field) => !isShown(field)) };
};
