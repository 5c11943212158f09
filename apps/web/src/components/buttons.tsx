import { ActionIcon, Button, type ButtonProps } from '@mantine/core';
import { type Icon, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Opens the form of a new record. */
export const CreateButton = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }): ReactNode => (
  <Button leftSection={<IconPlus size={16} />} onClick={onClick}>
    {label}
  </Button>
);

interface DialogButtonProps extends Pick<ButtonProps, 'leftSection' | 'children'> {
  /** What it opens. */
  readonly dialog: { readonly prepare: () => void };
  readonly onClick: () => void;
}

/** Opens a dialog that is fetched as soon as somebody comes to the button. */
export const DialogButton = ({ dialog: { prepare }, ...props }: DialogButtonProps): ReactNode => (
  <Button variant="default" aria-haspopup="dialog" onPointerEnter={prepare} onFocus={prepare} {...props} />
);

interface RowActionProps {
  readonly icon: Icon;
  /** What it does, for those who point at it. */
  readonly title: string;
  /** What it does to which record, for those who hear it; the title where nothing else is said. */
  readonly label?: string;
  readonly isRemoval?: boolean;
  readonly onClick: () => void;
}

/** A button of a record that is a picture. */
export const RowAction = ({ icon: Picture, title, label = title, isRemoval = false, onClick }: RowActionProps): ReactNode => (
  <ActionIcon variant="subtle" color={isRemoval ? 'red' : undefined} onClick={onClick} aria-label={label} title={title}>
    <Picture size={16} />
  </ActionIcon>
);

type UsualProps = Omit<RowActionProps, 'icon' | 'isRemoval'>;

/** Opens the form of a record. */
export const EditAction = (props: UsualProps): ReactNode => <RowAction icon={IconPencil} {...props} />;

/** Deletes a record, or asks first. */
export const RemoveAction = (props: UsualProps): ReactNode => <RowAction icon={IconTrash} isRemoval {...props} />;
