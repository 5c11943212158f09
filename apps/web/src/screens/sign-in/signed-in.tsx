import { Box, Button, Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useTranslate } from '../../language/language.tsx';
import { notifySignedIn } from '../../session/session.tsx';

/** Where the window ends in which somebody signed in to go on in another one. */
const SignedIn = (): ReactNode => {
  const t = useTranslate();
  useEffect(notifySignedIn, []);
  return (
    <EntryPage title={t('entry.signedInTitle')}>
      <Text>{t('entry.signedIn')}</Text>
    </EntryPage>
  );
};
export default SignedIn;

interface Props {
  readonly title: string;
  readonly hint?: string | undefined;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** The frame of the screens that one sees before one is signed in. */
export const EntryPage = ({ title, hint, wide = false, children }: Props): ReactNode => {
  useEffect(() => {
    document.title = `${title} · Sheaf`;
  }, [title]);
  return (
    <Center component="main" mih="100vh" p="md">
      <Box w="100%" maw={wide ? 560 : 420}>
        <Stack gap="lg">
          <Group gap="sm" justify="center">
            <img src="/icon.svg" alt="" width={44} height={44} />
            <Text fw={700} fz={28} aria-hidden>
              Sheaf
            </Text>
          </Group>
          <Paper withBorder radius="lg" p={{ base: 'lg', sm: 'xl' }} shadow="sm">
            <Stack gap="lg">
              <Stack gap={4}>
                <Title order={1} size="h3">
                  {title}
                </Title>
                {hint !== undefined && <Text c="dimmed">{hint}</Text>}
              </Stack>
              {children}
            </Stack>
          </Paper>
        </Stack>
      </Box>
    </Center>
  );
};

/** The end of what began there: from here on one signs in. */
export const EntryDone = ({ title, children }: Pick<Props, 'title' | 'children'>): ReactNode => {
  const t = useTranslate();
  return (
    <EntryPage title={title}>
      <Text>{children}</Text>
      <Button component={Link} href="/">
        {t('entry.toSignIn')}
      </Button>
    </EntryPage>
  );
};
