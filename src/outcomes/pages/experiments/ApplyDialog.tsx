/** Asks which arm becomes what the product uses, and says exactly what changes. */
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import { toast } from '../../../ui/toast.ts';
import type { Experiment } from '../../experimentContract.ts';
import { applyConsequence, contentLabel } from './experimentLabels.ts';
import classes from './experiments.module.css';

interface ApplyDialogProps {
  experiment: Experiment;
  winner: number | null;
  onApply: (arm: number) => Promise<Experiment>;
  onClose: () => void;
}

export function ApplyDialog({ experiment, winner, onApply, onClose }: ApplyDialogProps) {
  const [arm, setArm] = useState(winner ?? 0);
  const content = experiment.arm_states[arm]?.content;
  const name = experiment.arms[arm]?.name ?? '';
  const applying = useMutation({
    mutationFn: () => onApply(arm),
    onSuccess: () => {
      toast.success(t('{{name}} was applied', { name }));
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('Apply an arm of “{{name}}”?', { name: experiment.name })}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Radio.Group label={t('Arm')} value={String(arm)} onChange={(value) => setArm(Number(value))}>
          <Stack gap="xs" mt="xs">
            {experiment.arms.map((one, index) => {
              const own = experiment.arm_states[index]?.content;
              return (
                <Radio
                  key={one.name}
                  value={String(index)}
                  label={[one.name, own && contentLabel(own), index === winner && t('the winner')]
                    .filter(Boolean)
                    .join(' · ')}
                />
              );
            })}
          </Stack>
        </Radio.Group>
        {content && (
          <div role="status">
            <Text size="sm">{applyConsequence(content, name)}</Text>
            {content.kind === 'text' && (
              <section className={classes.example} aria-label={t('Text of {{name}}', { name })} tabIndex={0}>
                <PlainText text={content.text} />
              </section>
            )}
          </div>
        )}
        {applying.error && <Failure error={applying.error} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={applying.isPending} onClick={onClose} data-autofocus>
            {t('Cancel')}
          </Button>
          <Button loading={applying.isPending} disabled={!content} onClick={() => applying.mutate()}>
            {t('Apply {{name}}', { name })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
