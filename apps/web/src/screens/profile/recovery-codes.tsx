import { Button, Code, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { useTexts } from '../../language/language.tsx';
import { profileTexts } from './texts.ts';

interface Props {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** Shows recovery codes the one time that they are known. */
export const RecoveryCodes = ({ codes, onClose }: Props): ReactNode => {
  const t = useTexts(profileTexts);
  return (
    <Dialog opened onClose={onClose} title={t.codesTitle} closeOnClickOutside={false} withCloseButton={false}>
      <Stack gap="md">
        <Text size="sm">{t.codesHint}</Text>
        <SimpleGrid cols={2} spacing="xs">
          {codes.map((code) => (
            <Code key={code} fz="md" ta="center">
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <Group justify="space-between">
          <CopyButton value={codes.join('\n')}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? t.copied : t.copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{t.done}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
