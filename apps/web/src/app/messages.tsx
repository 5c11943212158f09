import { createTheme, MantineThemeProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type ReactNode, useMemo } from 'react';
import { useTexts } from '../language/language.tsx';
import { defineTexts } from '../language/texts.ts';

const texts = defineTexts({
  en: { close: 'Close' },
  de: { close: 'Schließen' },
});

/** Short messages in a corner. Loaded after the first screen. */
const Messages = (): ReactNode => {
  const { close } = useTexts(texts);
  const theme = useMemo(
    () => createTheme({ components: { Notification: { defaultProps: { closeButtonProps: { 'aria-label': close } } } } }),
    [close],
  );
  return (
    <MantineThemeProvider theme={theme}>
      <Notifications position="bottom-right" />
    </MantineThemeProvider>
  );
};
export default Messages;
