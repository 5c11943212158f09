import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { DocumentSection } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import type { Answer } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

type Signature = Answer<'get /api/documents/{id}/signatures'>['data'][number];

const OneSignature = ({ signature }: { readonly signature: Signature }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { signer, signed_at: signedAt, is_valid: isValid, covers_whole_document: coversAll, reason } = signature;
  return (
    <div>
      <Group justify="space-between" wrap="nowrap">
        <Text fw={500} className="stranger" style={{ overflowWrap: 'anywhere' }}>
          {signer ?? t('signatures.unknownSigner')}
        </Text>
        <Badge
          variant="default"
          leftSection={isValid ? <IconCheck size={12} /> : <IconAlertTriangle size={12} color="var(--mantine-color-red-6)" />}
          style={{ flexShrink: 0 }}
        >
          {t(isValid ? 'signatures.valid' : 'signatures.notValid')}
        </Badge>
      </Group>
      {signedAt !== null && <Text size="sm">{t('signatures.signedAt', { when: format.dateTime(signedAt) })}</Text>}
      {reason !== null && <Text size="sm">{t(`signatures.reason.${reason}`)}</Text>}
      {isValid && !coversAll && <Text size="sm">{t('signatures.extended')}</Text>}
    </div>
  );
};

/** Who signed the PDF, and whether it is as it was signed. */
const DocumentSignatures = ({ signatures }: { readonly signatures: readonly Signature[] }): ReactNode => {
  const t = useTranslate();
  return (
    <DocumentSection title={t('signatures.title')}>
      <Stack gap="sm">
        {signatures.map((signature, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no names, and stay in the order of the file
          <OneSignature key={at} signature={signature} />
        ))}
        <SmallNote>{t('signatures.certificate')}</SmallNote>
      </Stack>
    </DocumentSection>
  );
};
export default DocumentSignatures;
