/** What the value of a custom field can be. */
export const FIELD_TYPES = ['text', 'long_text', 'number', 'integer', 'amount', 'date', 'boolean', 'url', 'choice', 'document'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** What the confirmed fields of a document call a custom field whose value a person has set or removed. */
export const confirmedNameOf = (fieldId: string): `field:${string}` => `field:${fieldId}`;

/** How a filter may compare a value. */
export const FIELD_OPERATORS = ['eq', 'gt', 'gte', 'lt', 'lte', 'contains'] as const;
export type FieldOperator = (typeof FIELD_OPERATORS)[number];

/** Custom fields of one instance. */
export const MAX_FIELDS = 500;
export const MAX_FIELD_NAME_CHARACTERS = 100;
export const MAX_CHOICES = 100;
export const MAX_CHOICE_CHARACTERS = 100;
/** Values of one document. */
export const MAX_DOCUMENT_FIELDS = 50;
/** Fields that one filter may name. */
export const MAX_FIELD_FILTERS = 10;

/** Characters of the values that are texts. */
export const FIELD_TEXT_LIMITS = { text: 500, long_text: 10_000, url: 2_000 } as const;
/** Numbers that every client can keep without rounding them. */
export const FIELD_NUMBER_LIMITS = { digits: 15, decimals: 6 } as const;
export const FIELD_AMOUNT_LIMITS = { digits: 15, decimals: 4 } as const;
