import { Button, Code, CopyButton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';

/** Where a user sets their first password. */
export const invitationLink = (token: string): string => `${location.origin}/invitation?token=${encodeURIComponent(token)}`;

/** Links that are told once, to be handed on. */
export const InvitationLinks = ({ links }: { readonly links: readonly string[] }): ReactNode => {
  const t = useTranslate();
  return (
    <Stack gap="xs">
      <Text size="sm">{t('users.invitations')}</Text>
      <Code block className="stranger" tabIndex={0} mah={240}>
        {links.join('\n')}
      </Code>
      <CopyButton value={links.join('\n')}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} style={{ alignSelf: 'flex-start' }}>
            {copied ? t('users.copied') : t('users.copy')}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
};
