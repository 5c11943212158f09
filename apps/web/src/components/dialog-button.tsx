import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props extends Pick<ButtonProps, 'leftSection' | 'children'> {
  /** What it opens. */
  readonly dialog: { readonly prepare: () => void };
  readonly onClick: () => void;
}

/** Opens a dialog that is fetched as soon as somebody comes to the button. */
export const DialogButton = ({ dialog: { prepare }, ...props }: Props): ReactNode => (
  <Button variant="default" aria-haspopup="dialog" onPointerEnter={prepare} onFocus={prepare} {...props} />
);
