import { Button, Modal } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { useState } from 'react';
import { useStageDetection } from '../../conversations/pages/shared/stageDetection.tsx';
import { t } from '../../ui/i18n.ts';
import { useLeaveGuard } from '../../ui/leaveGuard.tsx';
import { ClassificationForm } from './ClassificationForm.tsx';

/** Button that shows whether dialogues are classified and opens the settings. */
export function ClassificationButton({ productId }: { productId: number }) {
  const [opened, setOpened] = useState(false);
  const [changed, setChanged] = useState(false);
  const guard = useLeaveGuard(changed);
  const found = useStageDetection(productId);
  const minutes = found.data?.items[0]?.config.interval_minutes;
  const words = !found.data
    ? t('Classification')
    : minutes === undefined
      ? t('Classification: off')
      : t('Classification: after {{minutes}} min', { minutes });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconTags size="1rem" />}
        disabled={!found.data}
        onClick={() => setOpened(true)}
      >
        {words}
      </Button>
      <Modal.Stack>
        <Modal
          stackId="classification"
          opened={opened}
          onClose={() => guard.ask(() => setOpened(false))}
          title={t('Classification')}
          size="var(--rapport-form)"
          closeButtonProps={{ 'aria-label': t('Close') }}
        >
          <ClassificationForm
            productId={productId}
            promptId={null}
            onChanged={setChanged}
            onDone={() => setOpened(false)}
          />
        </Modal>
        {guard.question}
      </Modal.Stack>
    </>
  );
}
