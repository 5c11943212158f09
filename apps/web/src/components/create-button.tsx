import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Opens the form of a new record. */
export const CreateButton = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }): ReactNode => (
  <Button leftSection={<IconPlus size={16} />} onClick={onClick}>
    {label}
  </Button>
);
