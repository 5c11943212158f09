import { ActionIcon, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly name: string;
  readonly onClick: () => void;
  readonly isDisabled?: boolean;
  readonly isPressed?: boolean;
  readonly children: ReactNode;
}

/** A button of the viewer that is a picture with a name. */
export const Tool = ({ name, onClick, isDisabled = false, isPressed, children }: Props): ReactNode => (
  <Tooltip label={name}>
    <ActionIcon
      variant={isPressed === true ? 'light' : 'default'}
      onClick={onClick}
      disabled={isDisabled}
      aria-label={name}
      aria-pressed={isPressed}
    >
      {children}
    </ActionIcon>
  </Tooltip>
);
