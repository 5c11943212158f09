import type { ReactNode } from 'react';
import { TextField } from './text-field.tsx';

interface Props {
  readonly label: string;
  /** YYYY-MM-DD; undefined while there is none. */
  readonly value: string | undefined;
  readonly onChange: (day: string) => void;
}

/** A day, or none. */
export const DateField = ({ label, value, onChange }: Props): ReactNode => (
  <TextField type="date" label={label} value={value ?? ''} onChange={onChange} />
);
