import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.tsx';
import { defineTexts } from '../language/texts.ts';

const texts = defineTexts({
  en: { close: 'Close' },
  de: { close: 'Schließen' },
});

/** Its head is none of the page. */
const NO_LANDMARK = { header: { role: 'presentation' } };

/** A window above the screen, with all that those need who hear it. */
export const Dialog = (props: ModalProps): ReactNode => {
  const t = useTexts(texts);
  return <Modal closeButtonProps={{ 'aria-label': t.close }} classNames={{ title: 'stranger' }} attributes={NO_LANDMARK} {...props} />;
};
