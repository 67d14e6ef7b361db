import { NewScheduleButton } from '../../components/new-schedule-button.js';
import { PageHeader } from '../../components/page-header.js';
import { ScheduleList } from '../../components/schedule-list.js';

export function SchedulesPage() {
  return (
    <>
      <PageHeader title="Schedules">
        <span>Runs that your agents are asked for by a clock.</span>
      </PageHeader>
      <ScheduleList firstStep={<NewScheduleButton />} action={<NewScheduleButton />} />
    </>
  );
}
