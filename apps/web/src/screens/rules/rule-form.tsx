import { Alert, Button, Checkbox, Collapse, Fieldset, Group, List, Stack, Switch, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { type Label, LabelPicker } from '../../components/label-picker.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { DateField, NameField, TextField } from '../../components/text-fields.tsx';
import { useAllLabels } from '../../components/use-all-labels.ts';
import { useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { SearchHelp } from '../search/search-help.tsx';
import { changeText, type DryRun, narrowingOf, type Rule, setsOf, toActions, toFilters } from './rule-draft.ts';
import { SetFields } from './set-fields.tsx';

interface Props {
  /** Undefined: a new one. */
  readonly rule: Rule | undefined;
  readonly onClose: () => void;
}

/** Labels that are chosen: those with the ids until others are picked. */
const useChosenLabels = (ids: readonly string[]) => {
  const all = useAllLabels();
  const [picked, setPicked] = useState<readonly Label[]>();
  const labels = picked ?? all.filter(({ id }) => ids.includes(id));
  return { labels, ids: picked?.map(({ id }) => id) ?? ids, setPicked };
};

const SHOWN_CHANGES = 10;

/** How many documents a rule would change, with the first of them. */
const DryRunResult = ({ result }: { readonly result: DryRun }): ReactNode => {
  const t = useTranslate();
  const count = result.would_change;
  return (
    <Alert
      variant="light"
      role="status"
      title={result.is_lower_bound ? t('rules.wouldChangeAtLeast', { count }) : t('rules.wouldChange', { count })}
    >
      <Text size="sm">{t('rules.matched', { count: result.matched })}</Text>
      <List size="sm" mt="xs">
        {result.changes.slice(0, SHOWN_CHANGES).map((change) => (
          <List.Item key={`${change.document_id} ${change.field} ${change.to.id}`} className="stranger">
            <b>{change.title}</b> · {changeText(t, change)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
};

/** What a rule matches and sets, with what it would change now. */
export const RuleForm = ({ rule, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [name, setName] = useState(rule?.name ?? '');
  const [query, setQuery] = useState(rule?.query ?? '');
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [narrowing, setNarrowing] = useState(narrowingOf(rule?.filters ?? {}));
  const [sets, setSets] = useState(setsOf(rule?.actions ?? []));
  const [isEnabled, setEnabled] = useState(rule?.is_enabled ?? true);
  const wanted = useChosenLabels(narrowing.labelIds);
  const added = useChosenLabels(sets.labelIds);
  const create = useChange('post /api/rules', ['get /api/rules']);
  const update = useChange('patch /api/rules/{id}', ['get /api/rules']);
  const change = rule === undefined ? create : update;
  const trial = useChange('post /api/rules/dry-run');

  const draft = {
    query,
    filters: toFilters(rule?.filters ?? {}, { ...narrowing, labelIds: wanted.ids }),
    actions: toActions({ ...sets, labelIds: added.ids }),
  };
  // what was tried before a change of the form says nothing of it as it is now
  const isTried = JSON.stringify(trial.variables?.body) === JSON.stringify(draft);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { name, ...draft, is_enabled: isEnabled };
    if (rule === undefined) create.mutate({ body }, { onSuccess: onClose });
    else update.mutate({ params: { id: rule.id }, body }, { onSuccess: onClose });
  };

  return (
    <Dialog opened onClose={onClose} size="lg" title={rule === undefined ? t('rules.create') : t('rules.editOf', { name: rule.name })}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={change.error} />
          <NameField label={t('rules.name')} value={name} onChange={setName} maxLength={100} />
          <TextField label={t('rules.query')} description={t('rules.queryHint')} value={query} onChange={setQuery} maxLength={2_000} />
          <Group>
            <Button variant="subtle" size="compact-sm" onClick={() => setHelpOpen(!isHelpOpen)} aria-expanded={isHelpOpen}>
              {t('rules.help')}
            </Button>
          </Group>
          <Collapse expanded={isHelpOpen}>
            <SearchHelp />
          </Collapse>
          <Fieldset legend={t('rules.filters')}>
            <Stack gap="sm">
              <LabelPicker label={t('rules.filterLabels')} value={wanted.labels} onChange={wanted.setPicked} mayCreate={false} />
              <Checkbox
                label={t('rules.filterUnlabelled')}
                checked={narrowing.isUnlabelled}
                onChange={(event) => setNarrowing({ ...narrowing, isUnlabelled: event.currentTarget.checked })}
              />
              <Group grow>
                {(['from', 'to'] as const).map((end) => (
                  <DateField
                    key={end}
                    label={t(end === 'from' ? 'rules.filterFrom' : 'rules.filterTo')}
                    value={narrowing[end].slice(0, 10)}
                    onChange={(day) => setNarrowing({ ...narrowing, [end]: day })}
                  />
                ))}
              </Group>
            </Stack>
          </Fieldset>
          <Fieldset legend={t('rules.sets')}>
            <Stack gap="sm">
              <LabelPicker label={t('rules.addLabels')} value={added.labels} onChange={added.setPicked} />
              <SetFields value={sets} onChange={setSets} />
            </Stack>
          </Fieldset>
          <Switch label={t('rules.isEnabled')} checked={isEnabled} onChange={(event) => setEnabled(event.currentTarget.checked)} />
          <Group>
            <Button variant="default" loading={trial.isPending} onClick={() => trial.mutate({ body: draft })}>
              {t('rules.try')}
            </Button>
          </Group>
          {isTried && <ProblemNote problem={trial.error} />}
          {isTried && trial.data !== undefined && <DryRunResult result={trial.data} />}
          <FormButtons submit={t('rules.save')} isBusy={change.isPending} isIncomplete={draft.actions.length === 0} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
