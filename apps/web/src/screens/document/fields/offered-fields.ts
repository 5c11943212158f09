import type { CustomField } from '../../../components/use-all-fields.ts';

/** A document as far as its fields depend on it. */
interface Fielded {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly document_type?: { readonly id: string } | null;
}

interface OfferedFields {
  /** Those with a value, and those of its type: these stand on the screen, those of its type first. */
  readonly shown: readonly CustomField[];
  /** What can be added, those without a type first. */
  readonly others: readonly CustomField[];
}

/** The fields of a document in their order. `added` are the ids of those that somebody wants to fill. */
export const offeredFields = (document: Fielded, all: readonly CustomField[], added: ReadonlySet<string>): OfferedFields => {
  const typeId = document.document_type?.id;
  const isOfType = ({ document_type_id: id }: CustomField): boolean => id !== null && id === typeId;
  const rank = (field: CustomField): number => (isOfType(field) ? 0 : field.document_type_id === null ? 1 : 2);
  const sorted = all.toSorted((a, b) => rank(a) - rank(b));
  const isShown = (field: CustomField): boolean => Object.hasOwn(document.fields, field.name) || isOfType(field) || added.has(field.id);
  return { shown: sorted.filter(isShown), others: sorted.filter((field) => !isShown(field)) };
};
