import { Alert, Anchor, Badge, Button, Card, Group, List, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ProblemNote, useProblemMessages } from '../../components/problem-note.tsx';
import { type Answer, useCall } from '../../interface/call.ts';
import { useFormat, useLanguage, useTranslate } from '../../language/language.tsx';

/** Where the readable form of an e-invoice is, in the reader's language as far as there is one. */
export const useEinvoiceAddress = (documentId: string): string =>
  `/api/documents/${documentId}/einvoice/view?language=${useLanguage() === 'de' ? 'de' : 'en'}`;

type Einvoice = Answer<'get /api/documents/{id}/einvoice'>;

const Fact = ({ name, value }: { readonly name: string; readonly value: string | null | undefined }): ReactNode =>
  value === null || value === undefined || value === '' ? null : (
    <Stack gap={0}>
      <Text size="xs" c="dimmed" component="dt">
        {name}
      </Text>
      <Text size="sm" component="dd" m={0} className="stranger" style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Text>
    </Stack>
  );

/** Digit by digit, as it may have more of them than a number of the browser; what is no number stays as it is written. */
const amountOf = (text: string | null, currency: string | null, language: string): string | null => {
  if (text === null) return null;
  const isNumber = text.length <= 40 && /^[+-]?\d+(?:\.\d+)?$/.test(text);
  const format = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 20 });
  return [isNumber ? format.format(text as Intl.StringNumericLiteral) : text, currency].filter((part) => part !== null).join(' ');
};

/** A day has no time zone. */
const dayOf = (iso: string | null, language: string): string | null =>
  iso === null ? null : new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${iso}T00:00:00Z`));

const Facts = ({ einvoice }: { readonly einvoice: Einvoice }): ReactNode => {
  const t = useTranslate();
  const language = useLanguage();
  const { seller, currency } = einvoice;
  return (
    <SimpleGrid component="dl" cols={2} spacing="sm" m={0}>
      <Fact name={t('einvoice.profile')} value={[einvoice.syntax, einvoice.profile].filter((part) => part !== null).join(' · ')} />
      <Fact name={t('einvoice.number')} value={einvoice.number} />
      <Fact name={t('einvoice.issueDate')} value={dayOf(einvoice.issue_date, language)} />
      <Fact name={t('einvoice.dueDate')} value={dayOf(einvoice.due_date, language)} />
      <Fact name={t('einvoice.seller')} value={seller.name ?? seller.trading_name} />
      <Fact name={t('einvoice.vatId')} value={seller.vat_id} />
      <Fact name={t('einvoice.buyer')} value={einvoice.buyer.name} />
      <Fact name={t('einvoice.iban')} value={seller.iban} />
      <Fact name={t('einvoice.grandTotal')} value={amountOf(einvoice.grand_total, currency, language)} />
      <Fact name={t('einvoice.payable')} value={amountOf(einvoice.payable, currency, language)} />
    </SimpleGrid>
  );
};

/** What the rules found. Their texts are those of the standard, in English. */
const Validity = ({ einvoice: { is_valid: isValid, rules, violations } }: { readonly einvoice: Einvoice }): ReactNode => {
  const t = useTranslate();
  if (isValid)
    return (
      <Text size="sm" c="dimmed">
        {t(rules === 'sums' ? 'einvoice.sumsValid' : 'einvoice.valid')}
      </Text>
    );
  return (
    <Alert color="yellow" title={t(rules === 'sums' ? 'einvoice.sumsInvalid' : 'einvoice.invalid', { count: violations.length })}>
      <List size="sm" aria-label={t('einvoice.violations')}>
        {violations.map(({ code, message }) => (
          <List.Item key={code}>
            <b>{code}</b> <span lang="en">{message}</span>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
};

const FIELDS: Readonly<Record<string, 'number' | 'issueDate' | 'grandTotal' | 'payable' | 'seller' | 'iban'>> = {
  number: 'number',
  issue_date: 'issueDate',
  grand_total: 'grandTotal',
  payable: 'payable',
  'seller.name': 'seller',
  'seller.iban': 'iban',
};

/** Whoever pays by the page pays by what the sender's program did not write: a known way of fraud. */
const Differences = ({ differences }: Pick<Einvoice, 'differences'>): ReactNode => {
  const t = useTranslate();
  if (differences.length === 0) return null;
  return (
    <Alert color="red" role="alert" title={t('einvoice.differences')}>
      <Text size="sm" mb="xs">
        {t('einvoice.differencesHelp')}
      </Text>
      <List size="sm">
        {differences.map(({ field, xml, page }) => {
          const known = FIELDS[field];
          const name = known === undefined ? field : t(`einvoice.${known}`);
          return (
            <List.Item key={field} className="stranger">
              {page === null ? t('einvoice.notOnPages', { name, xml }) : t('einvoice.differs', { name, xml, page })}
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
};

const Attachments = ({ documentId, attachments }: Pick<Einvoice, 'attachments'> & { readonly documentId: string }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  if (attachments.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text size="xs" c="dimmed" id={`attachments ${documentId}`}>
        {t('einvoice.attachments')}
      </Text>
      <List size="sm" aria-labelledby={`attachments ${documentId}`}>
        {attachments.map(({ number, name, description, size, is_embedded: isEmbedded }) => (
          <List.Item key={number} className="stranger" style={{ overflowWrap: 'anywhere' }}>
            {isEmbedded ? (
              <Anchor size="sm" href={`/api/documents/${documentId}/einvoice/attachments/${number}`} download>
                {name ?? t('einvoice.attachment', { number })}
              </Anchor>
            ) : (
              (name ?? t('einvoice.attachment', { number }))
            )}
            {isEmbedded && ` (${format.bytes(size)})`}
            {description !== null && ` – ${description}`}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
};

/** The data of an e-invoice: an XML invoice, or the XML in a PDF. */
export const DocumentEinvoice = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const t = useTranslate();
  const { ofProblem } = useProblemMessages();
  const address = useEinvoiceAddress(documentId);
  const { data, error, refetch } = useCall('get /api/documents/{id}/einvoice', { params: { id: documentId } });
  const isUnreadable = error?.code === 'EINVOICE_UNREADABLE';
  return (
    <Card withBorder padding="md" component="section" aria-label={t('einvoice.title')}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          {t('einvoice.title')}
        </Title>
        {data !== undefined && (
          <Badge variant="light" color={data.is_valid ? 'green' : 'yellow'}>
            {t(data.is_valid ? 'einvoice.isValid' : 'einvoice.isInvalid')}
          </Badge>
        )}
      </Group>
      <Stack gap="sm">
        {isUnreadable && <Alert color="yellow">{ofProblem(error)}</Alert>}
        {error !== null && !isUnreadable && <ProblemNote problem={error} onRetry={() => void refetch()} />}
        {data !== undefined && (
          <>
            <Differences differences={data.differences} />
            <Facts einvoice={data} />
            <Validity einvoice={data} />
            <Attachments documentId={documentId} attachments={data.attachments} />
            <Button
              component="a"
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              variant="default"
              size="xs"
              rightSection={<IconExternalLink size={14} />}
              style={{ alignSelf: 'flex-start' }}
            >
              {t('einvoice.open')}
            </Button>
          </>
        )}
      </Stack>
    </Card>
  );
};
