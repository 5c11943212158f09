import { ActionIcon } from '@mantine/core';
import { type Icon, IconPencil, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  readonly icon: Icon;
  /** What it does, for those who point at it. */
  readonly title: string;
  /** What it does to which record, for those who hear it; the title where nothing else is said. */
  readonly label?: string;
  readonly isRemoval?: boolean;
  readonly onClick: () => void;
}

/** A button of a record that is a picture. */
export const RowAction = ({ icon: Picture, title, label = title, isRemoval = false, onClick }: Props): ReactNode => (
  <ActionIcon variant="subtle" color={isRemoval ? 'red' : undefined} onClick={onClick} aria-label={label} title={title}>
    <Picture size={16} />
  </ActionIcon>
);

type UsualProps = Omit<Props, 'icon' | 'isRemoval'>;

/** Opens the form of a record. */
export const EditAction = (props: UsualProps): ReactNode => <RowAction icon={IconPencil} {...props} />;

/** Deletes a record, or asks first. */
export const RemoveAction = (props: UsualProps): ReactNode => <RowAction icon={IconTrash} isRemoval {...props} />;
