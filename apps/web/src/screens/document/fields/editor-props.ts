import type { CustomField } from '../../../components/use-all-fields.ts';
import type { Document } from '../document-facts.tsx';

export type FieldValue = Document['fields'][string];

export interface EditorProps {
  readonly field: CustomField;
  readonly value: FieldValue | undefined;
  readonly isReadOnly: boolean;
  readonly error: string | undefined;
  /** Null: nothing is left in the field, which remains. */
  readonly onChange: (value: FieldValue | null) => void;
  /** What was typed is no value, and why. */
  readonly onWrong: (message: string) => void;
}

/** What is asked again after a change. */
export const TOUCHED = ['get /api/documents/{id}', 'get /api/documents', 'get /api/fields'] as const;

/** Large enough for a finger. */
export const TARGET = { display: 'inline-flex', alignItems: 'center', minHeight: 24 } as const;
