import { createTheme, MantineThemeProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type ReactNode, useMemo } from 'react';
import { useTranslate } from '../language/language.tsx';

/** Short messages in a corner. Loaded after the first screen. */
const Messages = (): ReactNode => {
  const t = useTranslate();
  const close = t('common.close');
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
