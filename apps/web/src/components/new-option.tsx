import { Combobox, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** The value of the choice that makes a new one, which no id is. */
export const NEW_OPTION = '+';

/** The choice that makes a new one of what is typed. */
export const NewOption = ({ label }: { readonly label: string }): ReactNode => (
  <Combobox.Option value={NEW_OPTION}>
    <Text size="sm" className="stranger">
      {label}
    </Text>
  </Combobox.Option>
);
