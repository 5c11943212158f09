import { Button, Card, Group, Stack, Text } from '@mantine/core';
import {
  IconAddressBook,
  IconCategory,
  IconDownload,
  IconFileSearch,
  IconRefresh,
  IconTag,
  IconTagOff,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { EntryPicker, type PickedEntry } from '../../components/entry-picker.tsx';
import type { FilingKind } from '../../components/filing-kinds.ts';
import { type Label, LabelPicker } from '../../components/label-picker.tsx';
import { OcrLanguagePicker } from '../../components/ocr-language-picker.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';
import type { BulkActions } from './use-bulk-actions.ts';
import type { Selection } from './use-row-selection.ts';

interface Props {
  readonly selection: Selection;
  readonly total: number;
  readonly actions: BulkActions;
}

type Labelling = 'add_labels' | 'remove_labels';

const LabelDialog = ({
  kind,
  label,
  onClose,
}: {
  readonly kind: Labelling;
  readonly label: NonNullable<BulkActions['label']>;
  readonly onClose: () => void;
}): ReactNode => {
  const t = useTranslate();
  const [labels, setLabels] = useState<readonly Label[]>([]);
  return (
    <Dialog opened onClose={onClose} title={kind === 'add_labels' ? t('documents.addLabels') : t('documents.removeLabels')}>
      <Stack gap="md">
        <LabelPicker label={t('documents.labels')} value={labels} onChange={setLabels} mayCreate={kind === 'add_labels'} isAlwaysOpen />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('documents.cancel')}
          </Button>
          <Button
            disabled={labels.length === 0}
            onClick={() => {
              label(
                kind,
                labels.map(({ id }) => id),
              );
              onClose();
            }}
          >
            {t('documents.apply')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};

interface FilingProps {
  readonly kind: FilingKind;
  readonly file: NonNullable<BulkActions['file']>;
  readonly onClose: () => void;
}

const FilingDialog = ({ kind, file, onClose }: FilingProps): ReactNode => {
  const t = useTranslate();
  const [entry, setEntry] = useState<PickedEntry | null>(null);
  return (
    <Dialog opened onClose={onClose} title={t(`documents.set.${kind}`)}>
      <Stack gap="md">
        <EntryPicker kind={kind} label={t(`filing.one.${kind}`)} value={entry} onChange={setEntry} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('documents.cancel')}
          </Button>
          <Button
            disabled={entry === null}
            onClick={() => {
              if (entry !== null) file(kind, entry.id);
              onClose();
            }}
          >
            {t('documents.apply')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};

interface LanguageProps {
  readonly runOcrAgain: NonNullable<BulkActions['runOcrAgain']>;
  readonly onClose: () => void;
}

/** Asks for the language that documents are read in once more; each keeps its own where none is chosen. */
const LanguageDialog = ({ runOcrAgain, onClose }: LanguageProps): ReactNode => {
  const t = useTranslate();
  const [language, setLanguage] = useState('');
  return (
    <Dialog opened onClose={onClose} title={t('document.retryTitle')}>
      <Stack gap="md">
        <Text size="sm">{t('documents.languageHint')}</Text>
        <OcrLanguagePicker label={t('document.ocrLanguage')} value={language} onChange={setLanguage} autoFocus />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('documents.cancel')}
          </Button>
          <Button
            onClick={() => {
              runOcrAgain(language === '' ? undefined : language);
              onClose();
            }}
          >
            {t('documents.readAgain')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};

/** What can be done with the documents that are selected. */
const BulkBar = ({ selection, total, actions }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [labelling, setLabelling] = useState<Labelling>();
  const [isAsking, setAsking] = useState(false);
  const [filing, setFiling] = useState<FilingKind>();
  const count = selection.isAll ? total : selection.ids.size;
  if (count === 0) return null;
  return (
    <Card
      withBorder
      padding="xs"
      mb="sm"
      shadow="md"
      style={{ position: 'sticky', top: 68, zIndex: 5 }}
      role="region"
      aria-label={t('documents.selected', { count: count })}
    >
      <Group gap="xs">
        <Text size="sm" fw={600} px="xs" role="status">
          {t('documents.selected', { count: count })}
        </Text>
        {!selection.isAll && count < total && (
          <Button size="compact-sm" variant="subtle" onClick={selection.selectAll}>
            {t('documents.selectAll', { count: format.number(total) })}
          </Button>
        )}
        {actions.label !== undefined && (
          <>
            <Button size="compact-sm" variant="default" leftSection={<IconTag size={14} />} onClick={() => setLabelling('add_labels')}>
              {t('documents.addLabels')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconTagOff size={14} />}
              onClick={() => setLabelling('remove_labels')}
            >
              {t('documents.removeLabels')}
            </Button>
          </>
        )}
        {actions.file !== undefined &&
          (['correspondent', 'document_type'] as const).map((kind) => (
            <Button
              key={kind}
              size="compact-sm"
              variant="default"
              leftSection={kind === 'correspondent' ? <IconAddressBook size={14} /> : <IconCategory size={14} />}
              onClick={() => setFiling(kind)}
            >
              {t(`documents.set.${kind}`)}
            </Button>
          ))}
        <Button size="compact-sm" variant="default" leftSection={<IconDownload size={14} />} onClick={actions.download}>
          {t('documents.download')}
        </Button>
        <Button size="compact-sm" variant="default" leftSection={<IconFileSearch size={14} />} onClick={actions.downloadSearchable}>
          {t('documents.downloadSearchable')}
        </Button>
        {actions.runOcrAgain !== undefined && (
          <Button size="compact-sm" variant="default" leftSection={<IconRefresh size={14} />} onClick={() => setAsking(true)}>
            {t('documents.readAgain')}
          </Button>
        )}
        {actions.remove !== undefined && (
          <Button size="compact-sm" variant="default" c="red" leftSection={<IconTrash size={14} />} onClick={actions.remove}>
            {t('documents.remove')}
          </Button>
        )}
        <Button size="compact-sm" variant="subtle" ml="auto" leftSection={<IconX size={14} />} onClick={selection.clear}>
          {t('documents.selectNone')}
        </Button>
      </Group>
      {filing !== undefined && actions.file !== undefined && (
        <FilingDialog kind={filing} file={actions.file} onClose={() => setFiling(undefined)} />
      )}
      {isAsking && actions.runOcrAgain !== undefined && (
        <LanguageDialog runOcrAgain={actions.runOcrAgain} onClose={() => setAsking(false)} />
      )}
      {labelling !== undefined && actions.label !== undefined && (
        <LabelDialog kind={labelling} label={actions.label} onClose={() => setLabelling(undefined)} />
      )}
    </Card>
  );
};
export default BulkBar;
