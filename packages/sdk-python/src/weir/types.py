# Generated from openapi.json: pnpm generate.
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

class AddressListInput(TypedDict):
    ip_allow_list: list[str]
    force: NotRequired[bool]

class AdjustmentInput(TypedDict):
    limit_id: str
    amount_usd: NotRequired[str]
    amount: NotRequired[int]
    unit: NotRequired[Literal["runs", "tokens"]]
    customer_id: NotRequired[OwnId]
    at: NotRequired[Moment]
    reason: str

class AgreementExamplesItemRecorded(TypedDict):
    outcome: str
    rule_id: str | None

class AgreementExamplesItemFound(TypedDict):
    outcome: str
    rule_id: str | None

class AgreementExamplesItem(TypedDict):
    run_id: str | None
    match_id: str | None
    recorded: AgreementExamplesItemRecorded
    found: AgreementExamplesItemFound

class Agreement(TypedDict):
    set_version: Count
    compared: Count
    differing: Count
    examples: list[AgreementExamplesItem]

class Approval(TypedDict):
    id: str
    status: str
    rule_id: str
    rule_name: str
    rule_version: Count
    reason: str
    attempted: str
    attempt: dict[str, Any]
    estimated_cost_usd: Usd
    requested_by: str
    decided_by: str | None
    decided_at: Timestamp | None
    note: str | None
    grant: Grant | None
    expires_at: Timestamp
    created_at: Timestamp
    updated_at: Timestamp

class ApprovalApprovedEventData(TypedDict):
    approval_id: str
    rule_id: str
    rule_name: str
    reason: str
    attempted: str
    requested_by: str
    estimated_cost_usd: Usd
    expires_at: Timestamp
    decided_by: str
    note: str | None
    max_runs: Count
    max_amount_usd: Usd | None

class ApprovalApprovedEvent(TypedDict):
    id: EventId
    type: Literal["approval.approved"]
    created_at: EventTime
    org_id: str
    data: ApprovalApprovedEventData

class ApprovalDeniedEventData(TypedDict):
    approval_id: str
    rule_id: str
    rule_name: str
    reason: str
    attempted: str
    requested_by: str
    estimated_cost_usd: Usd
    expires_at: Timestamp
    decided_by: str
    note: str | None

class ApprovalDeniedEvent(TypedDict):
    id: EventId
    type: Literal["approval.denied"]
    created_at: EventTime
    org_id: str
    data: ApprovalDeniedEventData

class ApprovalExpiredEventData(TypedDict):
    approval_id: str
    rule_id: str
    rule_name: str
    reason: str
    attempted: str
    requested_by: str
    estimated_cost_usd: Usd
    expires_at: Timestamp

class ApprovalExpiredEvent(TypedDict):
    id: EventId
    type: Literal["approval.expired"]
    created_at: EventTime
    org_id: str
    data: ApprovalExpiredEventData

class ApprovalList(TypedDict):
    data: list[Approval]
    next_cursor: NextCursor

class ApprovalRequestedEventData(TypedDict):
    approval_id: str
    rule_id: str
    rule_name: str
    reason: str
    attempted: str
    requested_by: str
    estimated_cost_usd: Usd
    expires_at: Timestamp

class ApprovalRequestedEvent(TypedDict):
    id: EventId
    type: Literal["approval.requested"]
    created_at: EventTime
    org_id: str
    data: ApprovalRequestedEventData

class ApproveInput(TypedDict):
    max_runs: NotRequired[int]
    max_amount_usd: NotRequired[Usd | None]
    expires_at: NotRequired[Moment]
    note: NotRequired[str]

class Attempt(TypedDict):
    at: Timestamp
    status: Count | None
    error: str | None
    error_message: str | None
    latency_ms: Count
    response: str | None

class AuditLogEntryActor(TypedDict):
    kind: str
    id: str
    role: str
    email: NotRequired[str]
    connection_id: NotRequired[str]
    operator_key_id: NotRequired[str]
    session_id: NotRequired[str]
    slack_user_id: NotRequired[str]

class AuditLogEntryTarget(TypedDict):
    kind: str
    id: str

class AuditLogEntry(TypedDict):
    id: str
    seq: str
    created_at: str
    actor: AuditLogEntryActor
    action: str
    target: AuditLogEntryTarget
    outcome: str
    before: Any
    after: Any
    address: str | None
    trace_id: str
    count: int
    reason: str | None

class AuditLogEntryList(TypedDict):
    data: list[AuditLogEntry]
    next_cursor: NextCursor

class AuditVerificationHead(TypedDict):
    seq: str
    mac: str

class AuditVerificationFirstBad(TypedDict):
    seq: str
    reason: str

class AuditVerification(TypedDict):
    entries: int
    first_seq: str | None
    head: AuditVerificationHead | None
    valid: bool
    first_bad: NotRequired[AuditVerificationFirstBad]
    next_cursor: str | None

BacktestWindow = TypedDict("BacktestWindow", {"from": "Timestamp", "to": "Timestamp"})

class BacktestTestedLimit(TypedDict):
    scope_kind: str
    scope_id: str | None
    limit_usd: Usd
    period: str
    timezone: str
    anchor: str | None

class BacktestTested(TypedDict):
    kind: str
    set_version: Count | None
    rules: Count | None
    limit: BacktestTestedLimit | None

class BacktestRuns(TypedDict):
    considered: Count
    cost_usd: str
    refused: Count
    failed: Count
    saved_usd: str
    blocked: Count
    approval_required: Count
    over_limit: Count
    approved: Count
    without_admission: Count
    uncounted: Count

class BacktestByTeamDataItem(TypedDict):
    department_id: str | None
    refused: Count
    failed: Count
    saved_usd: str

class BacktestByTeam(TypedDict):
    data: list[BacktestByTeamDataItem]
    other: BacktestTally
    is_exact: bool

class BacktestByModelDataItem(TypedDict):
    model: str
    refused: Count
    failed: Count
    saved_usd: str

class BacktestByModel(TypedDict):
    data: list[BacktestByModelDataItem]
    other: BacktestTally
    is_exact: bool

class BacktestByRuleDataItem(TypedDict):
    rule_id: str | None
    index: Count | None
    rule_name: str | None
    refused: Count
    failed: Count
    saved_usd: str

class BacktestByRule(TypedDict):
    data: list[BacktestByRuleDataItem]
    other: BacktestTally
    is_exact: bool

class BacktestRecordedRefusals(TypedDict):
    considered: Count
    allowed: Count
    refused: Count
    failed: Count

class BacktestExamplesItem(TypedDict):
    run_id: str
    model: str
    department_id: str | None
    outcome: str
    rule_id: str | None
    index: Count | None
    rule_name: str | None
    cost_usd: Usd

class Backtest(TypedDict):
    window: BacktestWindow
    tested: BacktestTested
    runs: BacktestRuns
    by_team: BacktestByTeam
    by_model: BacktestByModel
    by_rule: BacktestByRule
    recorded_refusals: BacktestRecordedRefusals | None
    examples: list[BacktestExamplesItem]
    agreement: Agreement | None

class BacktestInputLimit(TypedDict):
    scope_kind: Literal["org", "department", "workflow", "deployment", "customer"]
    scope_id: NotRequired[OwnId]
    limit_usd: Usd
    period: Literal["day", "week", "month", "quarter", "year"]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]

BacktestInput = TypedDict("BacktestInput", {"from": "NotRequired[str]", "to": "NotRequired[str]", "rules": "NotRequired[list[RuleInput]]", "limit": "NotRequired[BacktestInputLimit]"})

class BacktestTally(TypedDict):
    refused: Count
    failed: Count
    saved_usd: str

class Bar(TypedDict):
    suite: str
    min_score: float
    min_samples: NotRequired[int]
    max_age_seconds: int

class BenchmarkMetrics(TypedDict):
    cost_per_run_usd: BenchmarkCost
    tokens_per_run: BenchmarkMetric
    refusal_rate: BenchmarkMetric
    cache_share: BenchmarkMetric
    latency_ms: BenchmarkMetric
    failure_rate: BenchmarkMetric

class Benchmark(TypedDict):
    cohort: Cohort
    period_start: Timestamp
    period_end: Timestamp
    published_at: Timestamp
    contributors_at_least: Count
    metrics: BenchmarkMetrics

class BenchmarkCohortPatch(TypedDict):
    name: NotRequired[OwnId]
    status: NotRequired[Literal["open", "closed"]]
    id: NotRequired[ReadOnlyField]
    industry: NotRequired[ReadOnlyField]
    size: NotRequired[ReadOnlyField]
    workload: NotRequired[ReadOnlyField]
    period: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class BenchmarkCostOwn(TypedDict):
    value: Usd | None
    percentile_from: Count | None
    percentile_to: Count | None

class BenchmarkCost(TypedDict):
    p10: Usd | None
    p25: Usd | None
    p50: Usd | None
    p75: Usd | None
    p90: Usd | None
    withheld: dict[str, str]
    own: BenchmarkCostOwn | None

class BenchmarkMembershipCohortsItem(TypedDict):
    cohort_id: str
    name: str
    status: str
    joined_at: Timestamp

class BenchmarkMembership(TypedDict):
    cohort_ids: list[str]
    cohorts: list[BenchmarkMembershipCohortsItem]

class BenchmarkMembershipPatch(TypedDict):
    cohort_ids: NotRequired[list[str]]
    cohorts: NotRequired[ReadOnlyField]

class BenchmarkMetricOwn(TypedDict):
    value: float | None
    percentile_from: Count | None
    percentile_to: Count | None

class BenchmarkMetric(TypedDict):
    p10: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    withheld: dict[str, str]
    own: BenchmarkMetricOwn | None

class BenchmarkPublishedEventData(TypedDict):
    cohort_id: str
    name: str
    period_start: Timestamp
    period_end: Timestamp

class BenchmarkPublishedEvent(TypedDict):
    id: EventId
    type: Literal["benchmark.published"]
    created_at: EventTime
    org_id: str
    data: BenchmarkPublishedEventData

class Budget(TypedDict):
    id: str
    name: str
    scope_kind: str
    scope_id: str | None
    and_scope_kind: str | None
    and_scope_id: str | None
    limit_usd: Usd | None
    spent_usd: Usd
    held_usd: Usd
    remaining_usd: Usd | None
    overrun_usd: Usd
    late_usd: Usd
    refused_count: Count
    exhausted_at: Timestamp | None
    period_start: Timestamp
    period_end: Timestamp
    period: Period
    timezone: str
    anchor: str | None
    next_schedule: NextSchedule | None
    enforcement: str
    thresholds: list[int]
    would_refuse_count: Count
    counts_from: Timestamp
    created_at: Timestamp
    updated_at: Timestamp

class BudgetDefault(TypedDict):
    id: str
    scope_kind: str
    limit_usd: Usd | None
    period: Period
    timezone: str
    anchor: str | None
    next_schedule: NextSchedule | None
    enforcement: str
    thresholds: list[int]
    max_new_per_day: int
    created_at: Timestamp
    updated_at: Timestamp

class BudgetDefaultInput(TypedDict):
    limit_usd: Usd | None
    period: Literal["day", "week", "month", "quarter", "year"]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    enforcement: NotRequired[Literal["block", "alert"]]
    thresholds: NotRequired[Thresholds]
    max_new_per_day: NotRequired[int]
    id: NotRequired[ReadOnlyField]
    scope_kind: NotRequired[ReadOnlyField]
    next_schedule: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class BudgetDefaultList(TypedDict):
    data: list[BudgetDefault]

class BudgetDefaultOrNotSet(TypedDict):
    id: str | None
    scope_kind: str | None
    limit_usd: Usd | None
    period: Period | None
    timezone: str | None
    anchor: str | None
    next_schedule: NextSchedule | None
    enforcement: str | None
    thresholds: list[int] | None
    max_new_per_day: int | None
    created_at: Timestamp | None
    updated_at: Timestamp | None

class BudgetDefaultPatch(TypedDict):
    limit_usd: NotRequired[Usd | None]
    period: NotRequired[Literal["day", "week", "month", "quarter", "year"]]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    enforcement: NotRequired[Literal["block", "alert"]]
    thresholds: NotRequired[Thresholds]
    max_new_per_day: NotRequired[int]
    id: NotRequired[ReadOnlyField]
    scope_kind: NotRequired[ReadOnlyField]
    next_schedule: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class BudgetExceededEventData(TypedDict):
    budget_id: str
    scope_kind: str
    scope_id: str | None
    and_scope_kind: NotRequired[str]
    and_scope_id: NotRequired[str]
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp

class BudgetExceededEvent(TypedDict):
    id: EventId
    type: Literal["budget.exceeded"]
    created_at: EventTime
    org_id: str
    data: BudgetExceededEventData

class BudgetIncreaseInput(TypedDict):
    limit_usd: Usd
    reason: str

class BudgetInput(TypedDict):
    name: str
    limit_usd: Usd | None
    period: Literal["day", "week", "month", "quarter", "year"]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    enforcement: NotRequired[Literal["block", "alert"]]
    thresholds: NotRequired[Thresholds]
    scope_kind: Literal["org", "workflow", "deployment", "department", "user", "key", "provider", "model", "tag"]
    scope_id: NotRequired[OwnId]
    and_scope_kind: NotRequired[Literal["workflow", "deployment", "department", "user", "key", "provider", "model", "tag", "customer"]]
    and_scope_id: NotRequired[OwnId]
    counts_from: NotRequired[Moment]

class BudgetList(TypedDict):
    data: list[Budget]
    next_cursor: NextCursor

class BudgetPatch(TypedDict):
    name: NotRequired[str]
    limit_usd: NotRequired[Usd | None]
    period: NotRequired[Literal["day", "week", "month", "quarter", "year"]]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    enforcement: NotRequired[Literal["block", "alert"]]
    thresholds: NotRequired[Thresholds]
    id: NotRequired[ReadOnlyField]
    scope_kind: NotRequired[ReadOnlyField]
    scope_id: NotRequired[ReadOnlyField]
    and_scope_kind: NotRequired[ReadOnlyField]
    and_scope_id: NotRequired[ReadOnlyField]
    spent_usd: NotRequired[IgnoredField]
    held_usd: NotRequired[IgnoredField]
    remaining_usd: NotRequired[IgnoredField]
    overrun_usd: NotRequired[IgnoredField]
    late_usd: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    next_schedule: NotRequired[ReadOnlyField]
    would_refuse_count: NotRequired[IgnoredField]
    counts_from: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class BudgetProposalInput(TypedDict):
    name: str
    scope_kind: Literal["org", "workflow", "deployment", "department", "user", "key", "provider", "model", "tag"]
    scope_id: NotRequired[OwnId]
    limit_usd: Usd
    period: Literal["day", "week", "month", "quarter", "year"]
    timezone: NotRequired[Timezone]
    enforcement: NotRequired[Literal["block", "alert"]]
    reason: str

class BudgetReplacement(TypedDict):
    name: str
    limit_usd: Usd | None
    period: Literal["day", "week", "month", "quarter", "year"]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    enforcement: NotRequired[Literal["block", "alert"]]
    thresholds: NotRequired[Thresholds]
    id: NotRequired[ReadOnlyField]
    scope_kind: NotRequired[ReadOnlyField]
    scope_id: NotRequired[ReadOnlyField]
    and_scope_kind: NotRequired[ReadOnlyField]
    and_scope_id: NotRequired[ReadOnlyField]
    spent_usd: NotRequired[IgnoredField]
    held_usd: NotRequired[IgnoredField]
    remaining_usd: NotRequired[IgnoredField]
    overrun_usd: NotRequired[IgnoredField]
    late_usd: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    next_schedule: NotRequired[ReadOnlyField]
    would_refuse_count: NotRequired[IgnoredField]
    counts_from: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class BudgetStoppedEventData(TypedDict):
    budget_id: str
    scope_kind: str
    scope_id: str | None
    and_scope_kind: NotRequired[str]
    and_scope_id: NotRequired[str]
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp
    held_usd: Usd
    attempted_usd: Usd

class BudgetStoppedEvent(TypedDict):
    id: EventId
    type: Literal["budget.stopped"]
    created_at: EventTime
    org_id: str
    data: BudgetStoppedEventData

class BudgetThresholdCrossedEventData(TypedDict):
    threshold_percent: int
    budget_id: str
    scope_kind: str
    scope_id: str | None
    and_scope_kind: NotRequired[str]
    and_scope_id: NotRequired[str]
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp

class BudgetThresholdCrossedEvent(TypedDict):
    id: EventId
    type: Literal["budget.threshold_crossed"]
    created_at: EventTime
    org_id: str
    data: BudgetThresholdCrossedEventData

class BulkAnswerResultsItemError(TypedDict):
    code: str
    message: str
    details: dict[str, Any]

class BulkAnswerResultsItem(TypedDict):
    index: Count
    run_id: str | None
    external_id: str | None
    duplicate: bool
    ignored_fields: NotRequired[list[str]]
    error: NotRequired[BulkAnswerResultsItemError]

class BulkAnswer(TypedDict):
    accepted: Count
    duplicates: Count
    refused: Count
    results: list[BulkAnswerResultsItem]

class BulkInputRunsItem(TypedDict):
    model: NotRequired[OwnId]
    provider: NotRequired[str]
    workflow_id: NotRequired[OwnId]
    deployment_id: NotRequired[OwnId]
    department_id: NotRequired[OwnId]
    customer_id: NotRequired[OwnId]
    user_id: NotRequired[OwnId]
    operation: NotRequired[str]
    action: NotRequired[OwnId]
    chain_id: NotRequired[OwnId]
    parent_run_id: NotRequired[str]
    external_id: NotRequired[OwnId]
    tags: NotRequired[list[str]]
    metadata: NotRequired[Metadata]
    run_id: NotRequired[str]
    reservation_id: NotRequired[str]
    provider_request_id: NotRequired[str]
    key_id: NotRequired[str]
    status: NotRequired[Literal["succeeded", "failed", "cancelled"]]
    started_at: NotRequired[Moment]
    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    cache_read_input_tokens: NotRequired[int]
    cache_creation_input_tokens: NotRequired[int]
    reasoning_output_tokens: NotRequired[int]
    service_tier: NotRequired[Literal["standard", "priority", "flex", "batch"]]
    cache_creation_1h_input_tokens: NotRequired[int]
    audio_input_tokens: NotRequired[int]
    image_input_tokens: NotRequired[int]
    video_input_tokens: NotRequired[int]
    cache_read_audio_input_tokens: NotRequired[int]
    cache_read_image_input_tokens: NotRequired[int]
    audio_output_tokens: NotRequired[int]
    image_output_tokens: NotRequired[int]
    video_output_tokens: NotRequired[int]
    citation_output_tokens: NotRequired[int]
    units: NotRequired[Units]
    parts: NotRequired[list[UsagePart]]
    cost_usd: NotRequired[Usd]
    value_usd: NotRequired[Usd]
    ended_at: NotRequired[Moment]
    estimated: NotRequired[bool]

class BulkInput(TypedDict):
    runs: list[BulkInputRunsItem]
    mode: NotRequired[Literal["atomic", "partial"]]
    enforce: NotRequired[bool]
    count_in: NotRequired[Literal["current_period", "started_period"]]

class Candidate(TypedDict):
    model: OwnId
    provider: NotRequired[str | None]
    weight: NotRequired[int | None]

class Chain(TypedDict):
    chain_id: str
    root_run_id: str | None
    max_cost_usd: Usd | None
    max_tokens: Count | None
    max_depth: Count | None
    spent_usd: Usd
    held_usd: Usd
    remaining_usd: Usd | None
    spent_tokens: Count
    held_tokens: Count
    remaining_tokens: Count | None
    depth: Count
    refused_count: Count
    exhausted_at: Timestamp | None
    nodes: list[ChainNode]
    truncated: bool
    created_at: Timestamp
    updated_at: Timestamp

class ChainBoundsInput(TypedDict):
    max_cost_usd: NotRequired[Usd | None]
    max_tokens: NotRequired[Count | None]
    max_depth: NotRequired[int | None]

class ChainBoundsReplacement(TypedDict):
    max_cost_usd: NotRequired[Usd | None]
    max_tokens: NotRequired[Count | None]
    max_depth: NotRequired[int | None]

class ChainExceededEventData(TypedDict):
    chain_id: str
    reason: str
    limit: Usd | Count
    current: Usd | Count

class ChainExceededEvent(TypedDict):
    id: EventId
    type: Literal["chain.exceeded"]
    created_at: EventTime
    org_id: str
    data: ChainExceededEventData

class ChainLimitsDefault(TypedDict):
    max_cost_usd: Usd | None
    max_tokens: Count | None
    max_depth: Count | None

class ChainLimitsWorkflowsItem(TypedDict):
    workflow_id: str
    max_cost_usd: Usd | None
    max_tokens: Count | None
    max_depth: Count | None

class ChainLimits(TypedDict):
    default: ChainLimitsDefault | None
    workflows: list[ChainLimitsWorkflowsItem]
    updated_at: Timestamp | None

class ChainLimitsInput(TypedDict):
    default: NotRequired[ChainBoundsInput | None]
    workflows: NotRequired[list[WorkflowBounds]]
    updated_at: NotRequired[ReadOnlyField]

class ChainLimitsPatch(TypedDict):
    default: NotRequired[ChainBoundsInput | None]
    workflows: NotRequired[list[WorkflowBounds]]
    updated_at: NotRequired[ReadOnlyField]

class ChainNode(TypedDict):
    id: str
    parent_run_id: str | None
    depth: Count
    status: str
    model: str
    operation: str | None
    cost_usd: Usd | None
    reserved_usd: Usd | None
    tokens: Count | None
    subtree_cost_usd: Usd
    started_at: Timestamp
    ended_at: Timestamp | None

class ChainStoppedEventData(TypedDict):
    chain_id: str
    reason: str
    limit: Usd | Count
    current: Usd | Count
    attempted: Usd | Count

class ChainStoppedEvent(TypedDict):
    id: EventId
    type: Literal["chain.stopped"]
    created_at: EventTime
    org_id: str
    data: ChainStoppedEventData

class Cohort(TypedDict):
    id: str
    name: str
    industry: str | None
    size: str | None
    workload: str | None
    period: str
    status: str
    created_at: Timestamp
    updated_at: Timestamp

class CohortInput(TypedDict):
    name: OwnId
    industry: NotRequired[str | None]
    size: NotRequired[str | None]
    workload: NotRequired[str | None]
    period: NotRequired[Literal["week", "month"]]

class CohortList(TypedDict):
    data: list[Cohort]
    next_cursor: NextCursor

class CohortReplacement(TypedDict):
    name: OwnId
    status: Literal["open", "closed"]
    id: NotRequired[ReadOnlyField]
    industry: NotRequired[ReadOnlyField]
    size: NotRequired[ReadOnlyField]
    workload: NotRequired[ReadOnlyField]
    period: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class ComparedModel(TypedDict):
    model: str
    provider: str | None
    price_id: str | None
    cost_of_call_usd: str | None
    cost_usd: str | None

class ConcurrencyDefault(TypedDict):
    id: str
    scope_kind: str
    max_runs: Count
    created_at: Timestamp
    updated_at: Timestamp

class ConcurrencyDefaultInput(TypedDict):
    max_runs: int
    id: NotRequired[ReadOnlyField]
    scope_kind: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class ConcurrencyDefaultList(TypedDict):
    data: list[ConcurrencyDefault]

class ConcurrencyDefaultOrNotSet(TypedDict):
    id: str | None
    scope_kind: str | None
    max_runs: Count | None
    created_at: Timestamp | None
    updated_at: Timestamp | None

class ConcurrencyDefaultPatch(TypedDict):
    max_runs: NotRequired[int]
    id: NotRequired[ReadOnlyField]
    scope_kind: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class ConcurrencyLimit(TypedDict):
    id: str
    name: str
    scope_kind: str
    scope_id: str | None
    max_runs: Count
    running: Count
    refused_count: Count
    exhausted_at: Timestamp | None
    counts_from: Timestamp
    created_at: Timestamp
    updated_at: Timestamp

class ConcurrencyLimitInput(TypedDict):
    name: str
    max_runs: int
    scope_kind: Literal["org", "department", "workflow", "deployment", "customer", "provider", "model", "tag", "user", "key"]
    scope_id: NotRequired[OwnId]

class ConcurrencyLimitList(TypedDict):
    data: list[ConcurrencyLimit]
    next_cursor: NextCursor

class ConcurrencyLimitPatch(TypedDict):
    name: NotRequired[str]
    max_runs: NotRequired[int]
    id: NotRequired[ReadOnlyField]
    scope_kind: NotRequired[ReadOnlyField]
    scope_id: NotRequired[ReadOnlyField]
    running: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    counts_from: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class ConcurrencyLimitReachedEventData(TypedDict):
    concurrency_limit_id: str
    scope_kind: str
    scope_id: str | None
    max_runs: Count
    running: Count

class ConcurrencyLimitReachedEvent(TypedDict):
    id: EventId
    type: Literal["concurrency_limit.reached"]
    created_at: EventTime
    org_id: str
    data: ConcurrencyLimitReachedEventData

class ConcurrencyLimitReplacement(TypedDict):
    name: str
    max_runs: int
    id: NotRequired[ReadOnlyField]
    scope_kind: NotRequired[ReadOnlyField]
    scope_id: NotRequired[ReadOnlyField]
    running: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    counts_from: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class ConfirmedMailAddress(TypedDict):
    address: str
    confirmed_at: Timestamp

class ContentSafetyDetectors(TypedDict):
    card_number: Detector
    iban: Detector
    national_id: Detector
    email: Detector
    phone: Detector
    secret: Detector
    prompt_injection: Detector

class ContentSafety(TypedDict):
    detectors: ContentSafetyDetectors
    patterns: list[OwnPattern]
    allow_list: list[str]
    updated_at: Timestamp | None

class ContentSafetyDetectedEventData(TypedDict):
    detector: str
    mode: str
    hits: Count
    key_id: str
    model: str | None
    workflow_id: str | None
    customer_id: str | None

class ContentSafetyDetectedEvent(TypedDict):
    id: EventId
    type: Literal["content_safety.detected"]
    created_at: EventTime
    org_id: str
    data: ContentSafetyDetectedEventData

class ContentSafetyInput(TypedDict):
    detectors: NotRequired[DetectorsInput]
    patterns: NotRequired[list[OwnPatternInput]]
    allow_list: NotRequired[list[str]]
    updated_at: NotRequired[ReadOnlyField]

class ContentSafetyPatch(TypedDict):
    detectors: NotRequired[DetectorsInput]
    patterns: NotRequired[list[OwnPatternInput]]
    allow_list: NotRequired[list[str]]
    updated_at: NotRequired[ReadOnlyField]

class ContentSafetyReplacement(TypedDict):
    detectors: NotRequired[DetectorsInput]
    patterns: NotRequired[list[OwnPatternInput]]
    allow_list: NotRequired[list[str]]

class ContentSafetyTestFindingsItem(TypedDict):
    detector: str
    mode: DetectorMode
    hits: Count
    score: Count
    threshold: DetectorThreshold
    fires: bool
    sample: str

class ContentSafetyTest(TypedDict):
    findings: list[ContentSafetyTestFindingsItem]
    blocked_by: str | None

class ContentSafetyTestInput(TypedDict):
    input: str | list[Any]
    settings: NotRequired[ContentSafetyReplacement]

class ContestedForeignKey(TypedDict):
    id: str
    org_id: str
    contest_id: str
    status: str
    uses: Count
    last_used_at: Timestamp | None
    contested_at: Timestamp
    created_at: Timestamp

class ContestedForeignKeyList(TypedDict):
    data: list[ContestedForeignKey]
    next_cursor: NextCursor

Count: TypeAlias = "int"

class CreatedOrg(TypedDict):
    id: str
    name: str
    status: str
    suspended_at: Timestamp | None
    suspension_reason: str | None
    ip_allow_list: list[str]
    required_dimensions: list[str]
    residency: str
    home_region: str | None
    timezone: str
    max_new_values_per_day: int | None
    created_at: Timestamp
    updated_at: Timestamp
    owner_key: KeyWithSecret

class CreatedSubscription(TypedDict):
    id: str
    org_id: str
    url: str
    destination: Destination
    unconfirmed_recipients: list[str]
    events: list[str]
    description: str
    ordered: bool
    enabled: bool
    disabled_reason: str | None
    disabled_at: Timestamp | None
    created_by_grant: str | None
    signing_version: int
    health: Health
    created_at: Timestamp
    updated_at: Timestamp
    secret: NotRequired[str]

CreatorId: TypeAlias = "str"

class CreditPack(TypedDict):
    id: str
    customer_id: str
    name: str | None
    amount_usd: Usd
    spent_usd: Usd
    held_usd: Usd
    remaining_usd: Usd
    refused_count: Count
    exhausted_at: Timestamp | None
    priority: int
    expires_at: Timestamp | None
    status: str
    voided_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp

class CreditPackDepletedEventData(TypedDict):
    credit_pack_id: str
    customer_id: str
    amount_usd: Usd
    spent_usd: Usd

class CreditPackDepletedEvent(TypedDict):
    id: EventId
    type: Literal["credit_pack.depleted"]
    created_at: EventTime
    org_id: str
    data: CreditPackDepletedEventData

class CreditPackInput(TypedDict):
    amount_usd: Usd
    name: NotRequired[str]
    priority: NotRequired[int]
    expires_at: NotRequired[Moment]

class CreditPackList(TypedDict):
    data: list[CreditPack]
    next_cursor: NextCursor

class CreditPackLowEventData(TypedDict):
    credit_pack_id: str
    customer_id: str
    amount_usd: Usd
    spent_usd: Usd

class CreditPackLowEvent(TypedDict):
    id: EventId
    type: Literal["credit_pack.low"]
    created_at: EventTime
    org_id: str
    data: CreditPackLowEventData

class CreditPackStoppedEventData(TypedDict):
    credit_pack_id: str
    customer_id: str
    amount_usd: Usd
    spent_usd: Usd
    held_usd: Usd
    attempted_usd: Usd

class CreditPackStoppedEvent(TypedDict):
    id: EventId
    type: Literal["credit_pack.stopped"]
    created_at: EventTime
    org_id: str
    data: CreditPackStoppedEventData

class CustomerDefault(TypedDict):
    id: str
    max_new_customers_per_day: int
    limit_usd: Usd | None
    spent_usd: Usd
    held_usd: Usd
    remaining_usd: Usd | None
    overrun_usd: Usd
    late_usd: Usd
    refused_count: Count
    exhausted_at: Timestamp | None
    period_start: Timestamp
    period_end: Timestamp
    period: Period
    timezone: str
    anchor: str | None
    next_schedule: NextSchedule | None
    thresholds: list[int]
    created_at: Timestamp
    updated_at: Timestamp

class CustomerDefaultInput(TypedDict):
    limit_usd: Usd | None
    period: Literal["day", "week", "month", "quarter", "year"]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    thresholds: NotRequired[Thresholds]
    max_new_customers_per_day: NotRequired[int]
    id: NotRequired[ReadOnlyField]
    spent_usd: NotRequired[IgnoredField]
    held_usd: NotRequired[IgnoredField]
    remaining_usd: NotRequired[IgnoredField]
    overrun_usd: NotRequired[IgnoredField]
    late_usd: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    next_schedule: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class CustomerDefaultOrNotSet(TypedDict):
    id: str | None
    max_new_customers_per_day: int | None
    limit_usd: Usd | None
    spent_usd: Usd | None
    held_usd: Usd | None
    remaining_usd: Usd | None
    overrun_usd: Usd | None
    late_usd: Usd | None
    refused_count: Count | None
    exhausted_at: Timestamp | None
    period_start: Timestamp | None
    period_end: Timestamp | None
    period: Period | None
    timezone: str | None
    anchor: str | None
    next_schedule: NextSchedule | None
    thresholds: list[int] | None
    created_at: Timestamp | None
    updated_at: Timestamp | None

class CustomerLimit(TypedDict):
    id: str
    customer_id: str
    limit_usd: Usd | None
    spent_usd: Usd
    held_usd: Usd
    remaining_usd: Usd | None
    overrun_usd: Usd
    late_usd: Usd
    refused_count: Count
    exhausted_at: Timestamp | None
    period_start: Timestamp
    period_end: Timestamp
    period: Period
    timezone: str
    anchor: str | None
    next_schedule: NextSchedule | None
    thresholds: list[int]
    created_at: Timestamp
    updated_at: Timestamp

class CustomerLimitDefaultPatch(TypedDict):
    limit_usd: NotRequired[Usd | None]
    period: NotRequired[Literal["day", "week", "month", "quarter", "year"]]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    thresholds: NotRequired[Thresholds]
    max_new_customers_per_day: NotRequired[int]
    id: NotRequired[ReadOnlyField]
    spent_usd: NotRequired[IgnoredField]
    held_usd: NotRequired[IgnoredField]
    remaining_usd: NotRequired[IgnoredField]
    overrun_usd: NotRequired[IgnoredField]
    late_usd: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    next_schedule: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class CustomerLimitExceededEventData(TypedDict):
    customer_limit_id: str
    customer_id: str | None
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp

class CustomerLimitExceededEvent(TypedDict):
    id: EventId
    type: Literal["customer_limit.exceeded"]
    created_at: EventTime
    org_id: str
    data: CustomerLimitExceededEventData

class CustomerLimitInput(TypedDict):
    limit_usd: Usd | None
    period: Literal["day", "week", "month", "quarter", "year"]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    thresholds: NotRequired[Thresholds]
    id: NotRequired[ReadOnlyField]
    customer_id: NotRequired[ReadOnlyField]
    spent_usd: NotRequired[IgnoredField]
    held_usd: NotRequired[IgnoredField]
    remaining_usd: NotRequired[IgnoredField]
    overrun_usd: NotRequired[IgnoredField]
    late_usd: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    next_schedule: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class CustomerLimitList(TypedDict):
    data: list[CustomerLimit]
    next_cursor: NextCursor

class CustomerLimitOrNotSet(TypedDict):
    id: str | None
    customer_id: str | None
    limit_usd: Usd | None
    spent_usd: Usd | None
    held_usd: Usd | None
    remaining_usd: Usd | None
    overrun_usd: Usd | None
    late_usd: Usd | None
    refused_count: Count | None
    exhausted_at: Timestamp | None
    period_start: Timestamp | None
    period_end: Timestamp | None
    period: Period | None
    timezone: str | None
    anchor: str | None
    next_schedule: NextSchedule | None
    thresholds: list[int] | None
    created_at: Timestamp | None
    updated_at: Timestamp | None

class CustomerLimitPatch(TypedDict):
    limit_usd: NotRequired[Usd | None]
    period: NotRequired[Literal["day", "week", "month", "quarter", "year"]]
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    thresholds: NotRequired[Thresholds]
    id: NotRequired[ReadOnlyField]
    customer_id: NotRequired[ReadOnlyField]
    spent_usd: NotRequired[IgnoredField]
    held_usd: NotRequired[IgnoredField]
    remaining_usd: NotRequired[IgnoredField]
    overrun_usd: NotRequired[IgnoredField]
    late_usd: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    next_schedule: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class CustomerLimitStoppedEventData(TypedDict):
    customer_limit_id: str
    customer_id: str | None
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp
    held_usd: Usd
    attempted_usd: Usd

class CustomerLimitStoppedEvent(TypedDict):
    id: EventId
    type: Literal["customer_limit.stopped"]
    created_at: EventTime
    org_id: str
    data: CustomerLimitStoppedEventData

class CustomerLimitThresholdCrossedEventData(TypedDict):
    threshold_percent: int
    customer_limit_id: str
    customer_id: str | None
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp

class CustomerLimitThresholdCrossedEvent(TypedDict):
    id: EventId
    type: Literal["customer_limit.threshold_crossed"]
    created_at: EventTime
    org_id: str
    data: CustomerLimitThresholdCrossedEventData

class DailyMatchesDataItem(TypedDict):
    day: str
    rule_id: str
    outcome: str
    shadow: bool
    count: Count

DailyMatches = TypedDict("DailyMatches", {"from": "Timestamp", "to": "Timestamp", "data": "list[DailyMatchesDataItem]"})

class DailyRefusalsDataItem(TypedDict):
    day: str
    error_code: str
    count: Count

DailyRefusals = TypedDict("DailyRefusals", {"from": "Timestamp", "to": "Timestamp", "data": "list[DailyRefusalsDataItem]"})

class DecisionInput(TypedDict):
    model: str
    provider: NotRequired[str]
    estimated_cost_usd: NotRequired[Usd]
    input_tokens: NotRequired[int]
    max_output_tokens: NotRequired[int]
    min_output_tokens: NotRequired[int]
    service_tier: NotRequired[Literal["standard", "priority", "flex", "batch"]]
    cache_creation: NotRequired[Literal["none", "5m", "1h"]]
    units: NotRequired[Units]
    workflow_id: NotRequired[OwnId]
    deployment_id: NotRequired[OwnId]
    department_id: NotRequired[OwnId]
    customer_id: NotRequired[OwnId]
    user_id: NotRequired[OwnId]
    tags: NotRequired[list[str]]
    managed: NotRequired[bool]
    lease_seconds: NotRequired[int]
    dry_run: NotRequired[bool]

class DecisionRefusedEventData(TypedDict):
    decision_id: str
    error_code: str
    message: str
    decided_by: str | None
    estimated_cost_usd: Usd
    model: str
    provider: str | None
    workflow_id: str | None
    deployment_id: str | None
    department_id: str | None
    customer_id: str | None
    user_id: str | None

class DecisionRefusedEvent(TypedDict):
    id: EventId
    type: Literal["decision.refused"]
    created_at: EventTime
    org_id: str
    data: DecisionRefusedEventData

class DefaultUsage(TypedDict):
    scope_id: str
    limit_usd: Usd | None
    spent_usd: Usd
    held_usd: Usd
    remaining_usd: Usd | None
    overrun_usd: Usd
    late_usd: Usd
    refused_count: Count
    exhausted_at: Timestamp | None
    period_start: Timestamp
    period_end: Timestamp

class DefaultUsageList(TypedDict):
    data: list[DefaultUsage]
    next_cursor: NextCursor

class Delivery(TypedDict):
    id: str
    event_id: str
    type: str
    status: str
    trigger: str
    event_count: Count
    attempts: list[Attempt]
    attempt_count: Count
    next_attempt_at: Timestamp | None
    created_at: Timestamp
    ended_at: Timestamp | None

class DeliveryList(TypedDict):
    data: list[Delivery]
    next_cursor: NextCursor

class DenyInput(TypedDict):
    note: NotRequired[str]

class DeploymentReturn(TypedDict):
    deployment_id: str | None
    runs: Count
    team_count: Count
    value_usd: str
    cost_usd: str
    return_usd: str
    return_per_team_usd: str
    projections: list[Projection]

class DeprecatedCalls(TypedDict):
    route: str
    method: str
    since: IsoDate
    sunset: str
    replacement: NotRequired[str]
    documentation: str
    caller_id: str
    name: str | None
    calls: Count
    first_day: IsoDate
    last_called_at: Timestamp

class DeprecatedCallsList(TypedDict):
    data: list[DeprecatedCalls]
    next_cursor: NextCursor

class DeprecationAnnouncedEventData(TypedDict):
    deprecation_id: str
    surface: str
    since: str
    sunset: Timestamp | None
    migration: str
    documentation: str

class DeprecationAnnouncedEvent(TypedDict):
    id: EventId
    type: Literal["deprecation.announced"]
    created_at: EventTime
    org_id: str
    data: DeprecationAnnouncedEventData

class DeprecationEntry(TypedDict):
    route: str
    method: str
    since: IsoDate
    sunset: str
    replacement: NotRequired[str]
    documentation: str

class Destination(TypedDict):
    kind: str
    format: NotRequired[str]
    channel: NotRequired[str]
    events_url: NotRequired[str]
    recipients: NotRequired[list[str]]
    digest_seconds: NotRequired[int]

class DestinationInput(TypedDict):
    kind: Literal["https", "slack", "teams", "pagerduty", "email"]
    format: NotRequired[Literal["weir", "cloudevents"]]
    channel: NotRequired[str]
    events_url: NotRequired[str]
    recipients: NotRequired[list[str]]
    digest_seconds: NotRequired[int]
    webhook_url: NotRequired[str]
    bot_token: NotRequired[str]
    routing_key: NotRequired[str]

class Detector(TypedDict):
    mode: DetectorMode
    threshold: DetectorThreshold

class DetectorInput(TypedDict):
    mode: Literal["off", "alert", "block"]
    threshold: NotRequired[DetectorThreshold]

DetectorMode: TypeAlias = "str"

DetectorThreshold: TypeAlias = "int"

class DetectorsInput(TypedDict):
    card_number: NotRequired[DetectorInput]
    iban: NotRequired[DetectorInput]
    national_id: NotRequired[DetectorInput]
    email: NotRequired[DetectorInput]
    phone: NotRequired[DetectorInput]
    secret: NotRequired[DetectorInput]
    prompt_injection: NotRequired[DetectorInput]

class Dimension(TypedDict):
    dimension: str
    values: list[str]
    pattern: str | None
    on_unknown: str
    created_at: Timestamp | None
    updated_at: Timestamp | None

class DimensionInput(TypedDict):
    values: NotRequired[list[OwnId]]
    pattern: NotRequired[str | None]
    on_unknown: Literal["allow", "default_limit", "refuse"]
    dimension: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class DimensionList(TypedDict):
    data: list[Dimension]

class DimensionPatch(TypedDict):
    values: NotRequired[list[OwnId]]
    pattern: NotRequired[str | None]
    on_unknown: NotRequired[Literal["allow", "default_limit", "refuse"]]
    dimension: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class DirectoryRolesRulesItem(TypedDict):
    group: str
    role: str

class DirectoryRoles(TypedDict):
    rules: list[DirectoryRolesRulesItem]
    default_role: str
    created_at: Timestamp | None
    updated_at: Timestamp | None

class DirectoryRolesInputRulesItem(TypedDict):
    group: str
    role: Literal["owner", "admin", "member", "viewer"]

class DirectoryRolesInput(TypedDict):
    rules: list[DirectoryRolesInputRulesItem]
    default_role: NotRequired[Literal["owner", "admin", "member", "viewer"]]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class DirectoryRolesPatchRulesItem(TypedDict):
    group: str
    role: Literal["owner", "admin", "member", "viewer"]

class DirectoryRolesPatch(TypedDict):
    rules: NotRequired[list[DirectoryRolesPatchRulesItem]]
    default_role: NotRequired[Literal["owner", "admin", "member", "viewer"]]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class Domain(TypedDict):
    id: str
    org_id: str
    domain: str
    description: str
    status: str
    connection_id: str | None
    record: DomainRecord
    verified_at: Timestamp | None
    checked_at: Timestamp | None
    missed_days: int
    created_at: Timestamp
    updated_at: Timestamp

class DomainInput(TypedDict):
    domain: str
    description: NotRequired[str]
    connection_id: NotRequired[str | None]

class DomainList(TypedDict):
    data: list[Domain]
    next_cursor: NextCursor

class DomainPatch(TypedDict):
    description: NotRequired[str]
    connection_id: NotRequired[str | None]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    domain: NotRequired[ReadOnlyField]
    status: NotRequired[ReadOnlyField]
    record: NotRequired[ReadOnlyField]
    verified_at: NotRequired[ReadOnlyField]
    checked_at: NotRequired[ReadOnlyField]
    missed_days: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class DomainRecord(TypedDict):
    type: str
    name: str
    value: str

class DomainReplacement(TypedDict):
    description: NotRequired[str]
    connection_id: NotRequired[str | None]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    domain: NotRequired[ReadOnlyField]
    status: NotRequired[ReadOnlyField]
    record: NotRequired[ReadOnlyField]
    verified_at: NotRequired[ReadOnlyField]
    checked_at: NotRequired[ReadOnlyField]
    missed_days: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class DryRun(TypedDict):
    decision: str
    decision_id: str
    model: str
    provider: str | None
    reserved_usd: Usd
    max_output_tokens: Count
    remaining_usd: Usd | None

class EdgeDecision(TypedDict):
    decision: str
    decision_id: str
    reservation_id: str | None
    reserved_usd: Usd
    remaining_usd: str | None
    max_output_tokens: Count
    expires_at: str | None

class Entitlement(TypedDict):
    used: Count
    held: Count
    remaining: Count | None
    refused_count: Count
    exhausted_at: Timestamp | None

class ErrorError(TypedDict):
    code: str
    message: str
    details: dict[str, Any]

class Error(TypedDict):
    error: ErrorError

class ErrorEntry(TypedDict):
    code: str
    statuses: list[int]
    message: str
    details: dict[str, Any]

class ErrorEntryList(TypedDict):
    data: list[ErrorEntry]
    next_cursor: NextCursor

class EvalExpiredEventData(TypedDict):
    route_id: str
    route: str
    eval_id: str
    suite: str
    model: str
    provider: str | None
    measured_at: Timestamp
    max_age_seconds: Count

class EvalExpiredEvent(TypedDict):
    id: EventId
    type: Literal["eval.expired"]
    created_at: EventTime
    org_id: str
    data: EvalExpiredEventData

class EvalResult(TypedDict):
    id: str
    suite: str
    model: str
    provider: str | None
    score: float
    samples: Count
    latency_ms: Count | None
    measured_at: Timestamp
    created_at: Timestamp

class EvalResultList(TypedDict):
    data: list[EvalResult]
    next_cursor: NextCursor

class EvalsInputResultsItem(TypedDict):
    suite: str
    model: OwnId
    provider: NotRequired[str | None]
    score: float
    samples: int
    latency_ms: NotRequired[int | None]
    measured_at: NotRequired[Moment]

class EvalsInput(TypedDict):
    results: list[EvalsInputResultsItem]

class EvaluateInputRun(TypedDict):
    model: OwnId
    provider: NotRequired[str]
    operation: NotRequired[str]
    action: NotRequired[OwnId]
    workflow_id: NotRequired[OwnId]
    deployment_id: NotRequired[OwnId]
    department_id: NotRequired[OwnId]
    customer_id: NotRequired[OwnId]
    user_id: NotRequired[OwnId]
    input_tokens: NotRequired[int]
    max_output_tokens: NotRequired[int]
    estimated_cost_usd: NotRequired[Usd]
    has_input: NotRequired[bool]
    tags: NotRequired[list[str]]
    metadata: NotRequired[Metadata]

class EvaluateInputKey(TypedDict):
    id: NotRequired[str]
    role: NotRequired[str]
    scopes: NotRequired[list[str]]

class EvaluateInputChain(TypedDict):
    id: NotRequired[OwnId]
    depth: NotRequired[int]
    cost_usd: NotRequired[Usd]

class EvaluateInput(TypedDict):
    run: EvaluateInputRun
    key: NotRequired[EvaluateInputKey]
    chain: NotRequired[EvaluateInputChain]
    at: NotRequired[Moment]
    rules: NotRequired[list[RuleInput]]

class EvaluationDecidedBy(TypedDict):
    rule_id: str | None
    index: Count | None
    name: str
    reason: str
    attempted: str

class EvaluationShadow(TypedDict):
    rule_id: str | None
    index: Count | None
    name: str
    outcome: str

class EvaluationRulesItem(TypedDict):
    rule_id: str | None
    index: Count | None
    name: str
    effect: str
    shadow: bool
    status: str
    decided: bool
    reached: bool
    why: str

class Evaluation(TypedDict):
    outcome: str
    decided_by: EvaluationDecidedBy | None
    shadow: EvaluationShadow | None
    error_code: str | None
    rules: list[EvaluationRulesItem]
    set_version: Count

EventId: TypeAlias = "str"

EventTime: TypeAlias = "str"

class Exhaustion(TypedDict):
    limit_id: str
    kind: str
    name: str
    enforcement: str
    limit: ForecastAmount
    used: ForecastAmount
    date: IsoDate | None
    earliest: IsoDate | None
    latest: IsoDate | None
    within_period: bool

class ExplanationPrice(TypedDict):
    basis: str
    price_id: str | None
    amount_usd: Usd

class Explanation(TypedDict):
    decision_id: str
    decision: str
    dry_run: bool
    key_id: CreatorId | None
    reservation: Reservation | None
    decided_at: Timestamp
    decided_by: str | None
    error_code: str | None
    inputs: dict[str, Any]
    price: ExplanationPrice
    limits: list[LimitRead]
    granted_output_tokens: NotRequired[Count]
    rules_version: Count

class ExtendInput(TypedDict):
    lease_seconds: NotRequired[int]
    max_output_tokens: NotRequired[int]
    estimated_cost_usd: NotRequired[Usd]

class FieldError(TypedDict):
    field: str
    code: str
    message: str

class FinishInput(TypedDict):
    status: Literal["succeeded", "failed", "cancelled"]
    model: NotRequired[OwnId]
    provider: NotRequired[str]
    workflow_id: NotRequired[OwnId]
    deployment_id: NotRequired[OwnId]
    department_id: NotRequired[OwnId]
    customer_id: NotRequired[OwnId]
    user_id: NotRequired[OwnId]
    chain_id: NotRequired[OwnId]
    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    cache_read_input_tokens: NotRequired[int]
    cache_creation_input_tokens: NotRequired[int]
    reasoning_output_tokens: NotRequired[int]
    service_tier: NotRequired[Literal["standard", "priority", "flex", "batch"]]
    cache_creation_1h_input_tokens: NotRequired[int]
    audio_input_tokens: NotRequired[int]
    image_input_tokens: NotRequired[int]
    video_input_tokens: NotRequired[int]
    cache_read_audio_input_tokens: NotRequired[int]
    cache_read_image_input_tokens: NotRequired[int]
    audio_output_tokens: NotRequired[int]
    image_output_tokens: NotRequired[int]
    video_output_tokens: NotRequired[int]
    citation_output_tokens: NotRequired[int]
    units: NotRequired[Units]
    parts: NotRequired[list[UsagePart]]
    cost_usd: NotRequired[Usd]
    value_usd: NotRequired[Usd]
    ended_at: NotRequired[Moment]
    estimated: NotRequired[bool]

class FinishedRun(TypedDict):
    id: str
    status: str
    model: str
    provider: str | None
    operation: str | None
    action: str | None
    workflow_id: str | None
    deployment_id: str | None
    department_id: str | None
    customer_id: str | None
    user_id: str | None
    chain_id: str | None
    parent_run_id: str | None
    depth: Count | None
    external_id: str | None
    key_id: CreatorId | None
    reservation_id: str | None
    decision_id: str | None
    input_tokens: int | None
    output_tokens: int | None
    cache_read_input_tokens: int | None
    cache_creation_input_tokens: int | None
    reasoning_output_tokens: int | None
    usage_detail: UsageDetail | None
    cost_usd: Usd | None
    cost_basis: str | None
    reserved_usd: Usd | None
    max_output_tokens: NotRequired[Count]
    overrun_usd: Usd | None
    value_usd: Usd | None
    tags: list[str]
    metadata: dict[str, Any]
    started_at: Timestamp
    ended_at: Timestamp | None
    expires_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    ignored_fields: NotRequired[list[str]]

ForecastAmount: TypeAlias = "str | float"

class ForecastError(TypedDict):
    origins: Count
    days_ahead: Count
    mase: float | None
    wape: float | None
    coverage_80: float | None

class ForecastStep(TypedDict):
    start: IsoDate
    end: IsoDate
    mean: ForecastAmount
    p50: list[ForecastAmount]
    p80: list[ForecastAmount]
    p95: list[ForecastAmount]

class ForecastTotal(TypedDict):
    mean: ForecastAmount
    p50: list[ForecastAmount]
    p80: list[ForecastAmount]
    p95: list[ForecastAmount]

ForecastTraining = TypedDict("ForecastTraining", {"from": "IsoDate", "to": "IsoDate", "days": "Count"})

class ForecastsTotalHistoryItem(TypedDict):
    start: IsoDate
    end: IsoDate
    value: ForecastAmount

class ForecastsTotal(TypedDict):
    history: list[ForecastsTotalHistoryItem]
    used_today: ForecastAmount
    forecast: list[ForecastStep]
    total: ForecastTotal | None
    method: str
    training: ForecastTraining | None
    error: ForecastError | None
    confidence: str
    reasons: list[str]
    exhaustion: list[Exhaustion]

class ForecastsSeriesItemHistoryItem(TypedDict):
    start: IsoDate
    end: IsoDate
    value: ForecastAmount

class ForecastsSeriesItem(TypedDict):
    key: str | None
    is_other: bool
    history: list[ForecastsSeriesItemHistoryItem]
    used_today: ForecastAmount
    forecast: list[ForecastStep]
    total: ForecastTotal | None
    method: str
    training: ForecastTraining | None
    error: ForecastError | None
    confidence: str
    reasons: list[str]
    exhaustion: list[Exhaustion]

class Forecasts(TypedDict):
    metric: str
    unit: str
    by: str | None
    step: str
    timezone: str
    today: IsoDate
    horizon_days: Count
    computed_at: Timestamp
    total: ForecastsTotal
    series: list[ForecastsSeriesItem]
    scenarios: list[Scenario]

class ForeignKey(TypedDict):
    id: str
    key_id: str
    name: str
    owner_id: str | None
    pins: dict[str, str]
    status: str
    ends_at: Timestamp
    uses: Count
    last_used_at: Timestamp | None
    ended_at: Timestamp | None
    contested_at: Timestamp | None
    created_at: Timestamp

class ForeignKeyList(TypedDict):
    data: list[ForeignKey]
    next_cursor: NextCursor

class ForeignKeysInputKeysItem(TypedDict):
    sha256: str
    name: str
    pins: NotRequired[Pins]
    owner_id: NotRequired[str | None]
    expires_at: NotRequired[str]
    ends_at: NotRequired[Moment]

class ForeignKeysInput(TypedDict):
    keys: list[ForeignKeysInputKeysItem]
    dry_run: NotRequired[bool]

class Freeze(TypedDict):
    id: str
    target_kind: str
    target_id: str
    reason: str
    frozen_at: Timestamp

class FreezeInput(TypedDict):
    reason: str

class FreezeLiftedEventData(TypedDict):
    freeze_id: str
    target_kind: str
    target_id: str
    reason: str
    frozen_at: Timestamp

class FreezeLiftedEvent(TypedDict):
    id: EventId
    type: Literal["freeze.lifted"]
    created_at: EventTime
    org_id: str
    data: FreezeLiftedEventData

class FreezeList(TypedDict):
    data: list[Freeze]

class FreezeSetEventData(TypedDict):
    freeze_id: str
    target_kind: str
    target_id: str
    reason: str
    frozen_at: Timestamp

class FreezeSetEvent(TypedDict):
    id: EventId
    type: Literal["freeze.set"]
    created_at: EventTime
    org_id: str
    data: FreezeSetEventData

class Frozen(TypedDict):
    reason: str
    frozen_at: Timestamp

class Grant(TypedDict):
    max_runs: Count
    runs_started: Count
    max_amount_usd: Usd | None
    spent_usd: Usd
    held_usd: Usd

class GrantInput(TypedDict):
    org_id: str
    scope: Literal["read", "billing", "configuration"]
    reason: str
    duration_seconds: int

class GrantWithToken(TypedDict):
    id: str
    org_id: str
    operator_key_id: str
    scope: str
    reason: str
    status: str
    expires_at: Timestamp
    revoked_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    token: str

class Health(TypedDict):
    status: str
    consecutive_failures: Count
    failing_since: Timestamp | None
    last_attempt_at: Timestamp | None
    last_success_at: Timestamp | None
    latency_ms: Count | None
    pending: Count
    oldest_pending_at: Timestamp | None

IgnoredField: TypeAlias = "Any"

class InstallationPricePatch(TypedDict):
    model: NotRequired[str]
    provider: NotRequired[str | None]
    input_usd_per_million: NotRequired[str]
    output_usd_per_million: NotRequired[str]
    cache_read_usd_per_million: NotRequired[str]
    cache_write_usd_per_million: NotRequired[str]
    other_usd_per_million: NotRequired[OtherUsdPerMillion]
    tiers: NotRequired[list[PriceTier]]
    units_usd: NotRequired[dict[str, Usd]]
    multipliers: NotRequired[PriceMultipliers]
    max_output_tokens: NotRequired[int | None]
    effective_from: NotRequired[str]
    id: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]

class InstallationPrices(TypedDict):
    prices: list[OwnPrice]
    updated_at: Timestamp | None

class InstallationPricesInput(TypedDict):
    prices: list[NewPrice]
    updated_at: NotRequired[ReadOnlyField]

class InstallationPricesPatch(TypedDict):
    prices: NotRequired[list[NewPrice]]
    updated_at: NotRequired[ReadOnlyField]

class Invitation(TypedDict):
    url: str
    expires_at: Timestamp

class InvitedMember(TypedDict):
    id: str
    org_id: str
    email: str
    name: str
    role: str
    status: str
    external_id: str | None
    accepted_at: Timestamp | None
    deactivated_at: Timestamp | None
    removed_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    invitation: Invitation | None

class IpAllowList(TypedDict):
    ip_allow_list: list[str]

class IpAllowListPatch(TypedDict):
    ip_allow_list: NotRequired[list[str]]
    force: NotRequired[bool]

IsoDate: TypeAlias = "str"

class JournalEntryChangesItem(TypedDict):
    limit_id: str
    kind: str
    subject: str
    unit: str
    period_start: Timestamp | None
    period_end: Timestamp | None
    spent: str | int
    held: str | int
    overrun: str | int
    late: str | int

class JournalEntry(TypedDict):
    id: str
    batch: Count
    created_at: Timestamp
    kind: str
    reservation_id: str | None
    key_id: CreatorId | None
    change_count: Count
    changes: list[JournalEntryChangesItem]
    actor: dict[str, Any] | None
    reason: str | None

class JournalEntryList(TypedDict):
    data: list[JournalEntry]
    next_cursor: NextCursor

class Key(TypedDict):
    id: str
    org_id: str
    name: str
    role: str
    scopes: list[str]
    pins: dict[str, str]
    status: str
    not_before: Timestamp | None
    expires_at: Timestamp | None
    owner_id: str | None
    minted_by: str | None
    rotated_from: str | None
    rotated_to: str | None
    last_used_at: Timestamp | None
    revoked_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp

class KeyChange(TypedDict):
    name: str
    owner_id: NotRequired[str | None]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    role: NotRequired[ReadOnlyField]
    scopes: NotRequired[ReadOnlyField]
    pins: NotRequired[ReadOnlyField]
    status: NotRequired[IgnoredField]
    not_before: NotRequired[ReadOnlyField]
    expires_at: NotRequired[ReadOnlyField]
    minted_by: NotRequired[ReadOnlyField]
    rotated_from: NotRequired[ReadOnlyField]
    rotated_to: NotRequired[ReadOnlyField]
    last_used_at: NotRequired[IgnoredField]
    revoked_at: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class KeyCreatedEventData(TypedDict):
    key_id: str
    name: str
    role: str
    expires_at: Timestamp | None

class KeyCreatedEvent(TypedDict):
    id: EventId
    type: Literal["key.created"]
    created_at: EventTime
    org_id: str
    data: KeyCreatedEventData

class KeyHeldAtCostEventData(TypedDict):
    key_id: str
    day: str
    overrun_usd: Usd
    max_overrun_usd: Usd
    held_at_usd: Usd

class KeyHeldAtCostEvent(TypedDict):
    id: EventId
    type: Literal["key.held_at_cost"]
    created_at: EventTime
    org_id: str
    data: KeyHeldAtCostEventData

class KeyInput(TypedDict):
    name: str
    role: Literal["owner", "admin", "member", "viewer", "service"]
    scopes: list[Literal["orgs:read", "orgs:write", "keys:read", "keys:write", "members:read", "members:write", "sso:read", "sso:write", "audit:read", "audit:write", "support:read", "support:write", "limits:read", "limits:write", "runs:read", "runs:write", "usage:read", "usage:write", "policies:read", "policies:write", "routing:read", "routing:write", "webhooks:read", "webhooks:write", "benchmarks:read", "benchmarks:write", "forecasts:read", "forecasts:write", "edge:decide", "runs:import", "runs:manage"]]
    pins: NotRequired[Pins]
    owner_id: NotRequired[str | None]
    not_before: NotRequired[str]
    expires_at: NotRequired[str]

class KeyList(TypedDict):
    data: list[Key]
    next_cursor: NextCursor

class KeyPatch(TypedDict):
    name: NotRequired[str]
    owner_id: NotRequired[str | None]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    role: NotRequired[ReadOnlyField]
    scopes: NotRequired[ReadOnlyField]
    pins: NotRequired[ReadOnlyField]
    status: NotRequired[IgnoredField]
    not_before: NotRequired[ReadOnlyField]
    expires_at: NotRequired[ReadOnlyField]
    minted_by: NotRequired[ReadOnlyField]
    rotated_from: NotRequired[ReadOnlyField]
    rotated_to: NotRequired[ReadOnlyField]
    last_used_at: NotRequired[IgnoredField]
    revoked_at: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class KeyReportingUnreported(TypedDict):
    runs: Count
    usd: Usd

class KeyReportingReleased(TypedDict):
    runs: Count
    usd: Usd

class KeyReportingOverrun(TypedDict):
    runs: Count
    usd: Usd

class KeyReportingLate(TypedDict):
    runs: Count
    usd: Usd

class KeyReporting(TypedDict):
    key_id: str
    name: str | None
    unreported: KeyReportingUnreported
    released: KeyReportingReleased
    overrun: KeyReportingOverrun
    late: KeyReportingLate
    held_at_usd: Usd | None

class KeyReportingList(TypedDict):
    data: list[KeyReporting]

class KeyRevokedEventData(TypedDict):
    key_id: str
    name: str
    role: str
    revoked_at: Timestamp

class KeyRevokedEvent(TypedDict):
    id: EventId
    type: Literal["key.revoked"]
    created_at: EventTime
    org_id: str
    data: KeyRevokedEventData

class KeyRotatedEventData(TypedDict):
    key_id: str
    name: str
    role: str
    replaced_by: str
    expires_at: Timestamp

class KeyRotatedEvent(TypedDict):
    id: EventId
    type: Literal["key.rotated"]
    created_at: EventTime
    org_id: str
    data: KeyRotatedEventData

class KeyTrustPatch(TypedDict):
    reported_cost: NotRequired[Literal["accept", "raise_only", "ignore"]]
    reported_usage: NotRequired[Literal["accept", "raise_only"]]
    min_lease_seconds: NotRequired[int]
    release: NotRequired[Literal["allow", "refuse"]]
    edge_expiry: NotRequired[Literal["release", "charge"]]
    over_limit_reports: NotRequired[Literal["refuse", "book"]]
    max_overrun_usd: NotRequired[Usd | None]
    start_only: NotRequired[bool]
    input_required: NotRequired[bool]
    action_required: NotRequired[bool]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class KeyUnreportedEventData(TypedDict):
    key_id: str
    day: str
    unreported_runs: Count
    unreported_usd: Usd

class KeyUnreportedEvent(TypedDict):
    id: EventId
    type: Literal["key.unreported"]
    created_at: EventTime
    org_id: str
    data: KeyUnreportedEventData

class KeyWithSecret(TypedDict):
    id: str
    org_id: str
    name: str
    role: str
    scopes: list[str]
    pins: dict[str, str]
    status: str
    not_before: Timestamp | None
    expires_at: Timestamp | None
    owner_id: str | None
    minted_by: str | None
    rotated_from: str | None
    rotated_to: str | None
    last_used_at: Timestamp | None
    revoked_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    secret: str

class LimitRead(TypedDict):
    limit_id: str
    kind: str
    subject: str
    unit: str
    enforcement: str | None
    limit: Usd | Count | None
    spent: Usd | Count
    held: Usd | Count
    attempted: Usd | Count
    fits: bool
    period_start: Timestamp | None
    period_end: Timestamp | None

LinearForecast = TypedDict("LinearForecast", {"data": "list[DeploymentReturn]", "next_cursor": "NextCursor", "method": "str", "from": "Timestamp", "to": "Timestamp"})

class ListedCohort(TypedDict):
    id: str
    name: str
    industry: str | None
    size: str | None
    workload: str | None
    period: str
    status: str
    created_at: Timestamp
    updated_at: Timestamp
    member: bool
    latest_period_start: Timestamp | None

class ListedCohortList(TypedDict):
    data: list[ListedCohort]
    next_cursor: NextCursor

class LoggedEvent(TypedDict):
    id: str
    type: str
    created_at: Timestamp
    org_id: str
    data: dict[str, Any]
    subject: str

class LoggedEventList(TypedDict):
    data: list[LoggedEvent]
    next_cursor: NextCursor

class LogsBodyResourceLogsItemScopeLogsItem(TypedDict):
    logRecords: NotRequired[list[dict[str, Any]]]

class LogsBodyResourceLogsItem(TypedDict):
    resource: NotRequired[dict[str, Any]]
    scopeLogs: NotRequired[list[LogsBodyResourceLogsItemScopeLogsItem]]

class LogsBody(TypedDict):
    resourceLogs: NotRequired[list[LogsBodyResourceLogsItem]]

class MailCode(TypedDict):
    code: str

class MePerson(TypedDict):
    id: str
    email: str

class MeSession(TypedDict):
    id: str
    way: str
    expires_at: Timestamp
    csrf_token: str

class MeLimitsPoliciesItem(TypedDict):
    kind: str
    per: str
    match: str | None
    amount: int
    window_seconds: int

class MeLimits(TypedDict):
    reads_per_minute: int | None
    policies: list[MeLimitsPoliciesItem]

class Me(TypedDict):
    kind: str
    id: str
    org_id: str | None
    person: MePerson | None
    role: str
    scopes: list[str]
    pins: dict[str, str]
    expires_at: Timestamp | None
    session: MeSession | None
    limits: MeLimits

class Member(TypedDict):
    id: str
    org_id: str
    email: str
    name: str
    role: str
    status: str
    external_id: str | None
    accepted_at: Timestamp | None
    deactivated_at: Timestamp | None
    removed_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp

class MemberChange(TypedDict):
    name: NotRequired[str]
    role: Literal["owner", "admin", "member", "viewer"]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    email: NotRequired[ReadOnlyField]
    status: NotRequired[ReadOnlyField]
    external_id: NotRequired[ReadOnlyField]
    accepted_at: NotRequired[ReadOnlyField]
    deactivated_at: NotRequired[ReadOnlyField]
    removed_at: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class MemberInput(TypedDict):
    email: str
    name: NotRequired[str]
    role: Literal["owner", "admin", "member", "viewer"]

class MemberList(TypedDict):
    data: list[Member]
    next_cursor: NextCursor

class MemberPatch(TypedDict):
    name: NotRequired[str]
    role: NotRequired[Literal["owner", "admin", "member", "viewer"]]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    email: NotRequired[ReadOnlyField]
    status: NotRequired[ReadOnlyField]
    external_id: NotRequired[ReadOnlyField]
    accepted_at: NotRequired[ReadOnlyField]
    deactivated_at: NotRequired[ReadOnlyField]
    removed_at: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class MembershipInput(TypedDict):
    cohort_ids: list[str]
    cohorts: NotRequired[ReadOnlyField]

Metadata: TypeAlias = "dict[str, str | float | bool]"

class MetricsBodyResourceMetricsItemScopeMetricsItem(TypedDict):
    metrics: NotRequired[list[dict[str, Any]]]

class MetricsBodyResourceMetricsItem(TypedDict):
    resource: NotRequired[dict[str, Any]]
    scopeMetrics: NotRequired[list[MetricsBodyResourceMetricsItemScopeMetricsItem]]

class MetricsBody(TypedDict):
    resourceMetrics: NotRequired[list[MetricsBodyResourceMetricsItem]]

class ModelInput(TypedDict):
    model: OwnId
    provider: NotRequired[str | None]
    region: NotRequired[str | None]
    capabilities: NotRequired[list[str]]
    context_tokens: NotRequired[int | None]
    latency_ms: NotRequired[int | None]
    enabled: NotRequired[bool]

class ModelPatch(TypedDict):
    model: NotRequired[OwnId]
    provider: NotRequired[str | None]
    region: NotRequired[str | None]
    capabilities: NotRequired[list[str]]
    context_tokens: NotRequired[int | None]
    latency_ms: NotRequired[int | None]
    enabled: NotRequired[bool]
    id: NotRequired[ReadOnlyField]
    price: NotRequired[IgnoredField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class ModelReplacement(TypedDict):
    model: OwnId
    provider: NotRequired[str | None]
    region: NotRequired[str | None]
    capabilities: NotRequired[list[str]]
    context_tokens: NotRequired[int | None]
    latency_ms: NotRequired[int | None]
    enabled: NotRequired[bool]
    id: NotRequired[ReadOnlyField]
    price: NotRequired[IgnoredField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class ModelRouteBar(TypedDict):
    suite: str
    min_score: float
    min_samples: Count
    max_age_seconds: Count

class ModelRouteConstraints(TypedDict):
    capabilities: list[str]
    regions: list[str]
    max_price_usd: Usd | None
    max_latency_ms: Count | None
    min_context_tokens: Count | None

class ModelRouteCandidatesItem(TypedDict):
    model: str
    provider: str | None
    weight: int | None

class ModelRoute(TypedDict):
    id: str
    name: str
    strategy: str
    bar: ModelRouteBar | None
    constraints: ModelRouteConstraints
    candidates: list[ModelRouteCandidatesItem] | None
    created_at: Timestamp
    updated_at: Timestamp

class ModelRouteList(TypedDict):
    data: list[ModelRoute]
    next_cursor: NextCursor

Moment: TypeAlias = "str"

class NewPrice(TypedDict):
    model: str
    provider: NotRequired[str | None]
    input_usd_per_million: str
    output_usd_per_million: str
    cache_read_usd_per_million: NotRequired[str]
    cache_write_usd_per_million: NotRequired[str]
    other_usd_per_million: NotRequired[OtherUsdPerMillion]
    tiers: NotRequired[list[PriceTier]]
    units_usd: NotRequired[dict[str, Usd]]
    multipliers: NotRequired[PriceMultipliers]
    max_output_tokens: NotRequired[int | None]
    effective_from: NotRequired[str]
    id: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]

class NewPriceReplacement(TypedDict):
    model: str
    provider: NotRequired[str | None]
    input_usd_per_million: str
    output_usd_per_million: str
    cache_read_usd_per_million: NotRequired[str]
    cache_write_usd_per_million: NotRequired[str]
    other_usd_per_million: NotRequired[OtherUsdPerMillion]
    tiers: NotRequired[list[PriceTier]]
    units_usd: NotRequired[dict[str, Usd]]
    multipliers: NotRequired[PriceMultipliers]
    max_output_tokens: NotRequired[int | None]
    effective_from: NotRequired[str]

NextCursor: TypeAlias = "str | None"

NextSchedule = TypedDict("NextSchedule", {"period": "Period", "timezone": "str", "anchor": "str | None", "from": "Timestamp"})

class Node(TypedDict):
    id: str
    role: str
    version: str
    status: str
    started_at: Timestamp
    lease_until: Timestamp

class NodeList(TypedDict):
    data: list[Node]

class OidcSettings(TypedDict):
    issuer: str
    client_id: str
    client_secret_set_at: Timestamp | None

class OidcSettingsInput(TypedDict):
    issuer: str
    client_id: str
    client_secret: NotRequired[str | None]

class OidcSettingsReplacement(TypedDict):
    issuer: str
    client_id: str
    client_secret: NotRequired[str | None]
    client_secret_set_at: NotRequired[ReadOnlyField]

class OperatorAddressList(TypedDict):
    ip_allow_list: list[str]

class OperatorIpAllowListPatch(TypedDict):
    ip_allow_list: NotRequired[list[str]]
    force: NotRequired[bool]

class OperatorKeyInput(TypedDict):
    name: str
    scopes: NotRequired[list[Literal["admin:read", "admin:write"]]]
    expires_at: NotRequired[Moment]

class Org(TypedDict):
    id: str
    name: str
    status: str
    suspended_at: Timestamp | None
    suspension_reason: str | None
    ip_allow_list: list[str]
    required_dimensions: list[str]
    residency: str
    home_region: str | None
    timezone: str
    max_new_values_per_day: int | None
    created_at: Timestamp
    updated_at: Timestamp

class OrgInput(TypedDict):
    name: str

class OrgList(TypedDict):
    data: list[Org]
    next_cursor: NextCursor

class OrgPatch(TypedDict):
    name: NotRequired[str]
    required_dimensions: NotRequired[list[Literal["workflow_id", "deployment_id", "department_id", "customer_id", "user_id"]]]
    timezone: NotRequired[str]
    max_new_values_per_day: NotRequired[int | None]
    id: NotRequired[ReadOnlyField]
    status: NotRequired[ReadOnlyField]
    suspended_at: NotRequired[ReadOnlyField]
    suspension_reason: NotRequired[ReadOnlyField]
    ip_allow_list: NotRequired[ReadOnlyField]
    residency: NotRequired[ReadOnlyField]
    home_region: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class OrgReplacement(TypedDict):
    name: str
    required_dimensions: NotRequired[list[Literal["workflow_id", "deployment_id", "department_id", "customer_id", "user_id"]]]
    timezone: str
    max_new_values_per_day: NotRequired[int | None]
    id: NotRequired[ReadOnlyField]
    status: NotRequired[ReadOnlyField]
    suspended_at: NotRequired[ReadOnlyField]
    suspension_reason: NotRequired[ReadOnlyField]
    ip_allow_list: NotRequired[ReadOnlyField]
    residency: NotRequired[ReadOnlyField]
    home_region: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class OrgResidencyChangedEventData(TypedDict):
    name: str
    residency: str
    home_region: str | None

class OrgResidencyChangedEvent(TypedDict):
    id: EventId
    type: Literal["org.residency_changed"]
    created_at: EventTime
    org_id: str
    data: OrgResidencyChangedEventData

class OrgResumedEventData(TypedDict):
    name: str
    status: str

class OrgResumedEvent(TypedDict):
    id: EventId
    type: Literal["org.resumed"]
    created_at: EventTime
    org_id: str
    data: OrgResumedEventData

class OrgSecret(TypedDict):
    org_id: str
    secret: str
    created_at: Timestamp
    rotated_at: Timestamp

class OrgSecretRotation(TypedDict):
    org_id: str
    secret: str
    created_at: Timestamp
    rotated_at: Timestamp
    rotated: bool

class OrgSuspendedEventData(TypedDict):
    name: str
    status: str

class OrgSuspendedEvent(TypedDict):
    id: EventId
    type: Literal["org.suspended"]
    created_at: EventTime
    org_id: str
    data: OrgSuspendedEventData

class OtherUsdPerMillion(TypedDict):
    cache_write_1h: NotRequired[str]
    input_audio: NotRequired[str]
    input_image: NotRequired[str]
    input_video: NotRequired[str]
    cache_audio_read: NotRequired[str]
    cache_image_read: NotRequired[str]
    output_audio: NotRequired[str]
    output_image: NotRequired[str]
    output_video: NotRequired[str]
    output_reasoning: NotRequired[str]
    output_citation: NotRequired[str]

class OtlpMapping(TypedDict):
    workflow_id: list[str] | None
    deployment_id: list[str] | None
    department_id: list[str] | None
    customer_id: list[str] | None
    user_id: list[str] | None
    seat_keys: list[str] | None
    seat_accounts: list[OwnId] | None
    seat_logins: bool | None
    created_at: Timestamp | None
    updated_at: Timestamp | None

class OtlpMappingPatch(TypedDict):
    workflow_id: NotRequired[list[str] | None]
    deployment_id: NotRequired[list[str] | None]
    department_id: NotRequired[list[str] | None]
    customer_id: NotRequired[list[str] | None]
    user_id: NotRequired[list[str] | None]
    seat_keys: NotRequired[list[str] | None]
    seat_accounts: NotRequired[list[OwnId] | None]
    seat_logins: NotRequired[bool | None]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

OwnId: TypeAlias = "str"

class OwnLimit(TypedDict):
    id: str
    kind: str
    scope_kind: str
    scope_id: str | None
    and_scope_kind: str | None
    and_scope_id: str | None
    unit: str
    limit: Usd | Count | None
    spent: Usd | Count
    held: Usd | Count
    remaining: Usd | Count | None
    enforcement: str
    period_start: Timestamp | None
    resets_at: Timestamp | None
    frozen: Frozen | None

class OwnLimits(TypedDict):
    frozen: Frozen | None
    data: list[OwnLimit]

class OwnPattern(TypedDict):
    name: str
    pattern: str
    mode: DetectorMode
    threshold: DetectorThreshold

class OwnPatternInput(TypedDict):
    name: str
    pattern: str
    mode: Literal["off", "alert", "block"]
    threshold: NotRequired[DetectorThreshold]

class OwnPrice(TypedDict):
    id: str
    model: str
    provider: str | None
    input_usd_per_million: Usd
    output_usd_per_million: Usd
    cache_read_usd_per_million: Usd
    cache_write_usd_per_million: Usd
    other_usd_per_million: OtherUsdPerMillion
    tiers: list[PriceTier]
    units_usd: dict[str, Usd]
    multipliers: PriceMultipliers
    max_output_tokens: Count | None
    effective_from: Timestamp
    created_at: Timestamp

class OwnerKeyInput(TypedDict):
    name: str
    expires_at: NotRequired[Moment]

class PartUsage(TypedDict):
    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    cache_read_input_tokens: NotRequired[int]
    cache_creation_input_tokens: NotRequired[int]
    reasoning_output_tokens: NotRequired[int]
    cache_creation_1h_input_tokens: NotRequired[int]
    units: NotRequired[Units]

class Passkey(TypedDict):
    id: str
    name: str
    is_backed_up: bool
    last_used_at: Timestamp | None
    created_at: Timestamp

class PasskeyList(TypedDict):
    data: list[Passkey]

class PasskeyName(TypedDict):
    name: str

Period: TypeAlias = "str"

PeriodAnchor: TypeAlias = "str"

class Pins(TypedDict):
    workflow_id: NotRequired[str]
    deployment_id: NotRequired[str]
    department_id: NotRequired[str]
    customer_id: NotRequired[str]
    user_id: NotRequired[str]

class Plan(TypedDict):
    id: str
    name: str
    runs_per_month: Count | None
    tokens_per_month: Count | None
    overage_policy: str
    runs: Entitlement
    tokens: Entitlement
    period_start: Timestamp
    period_end: Timestamp
    created_at: Timestamp
    updated_at: Timestamp

class PlanExceededEventData(TypedDict):
    plan_id: str
    unit: str
    limit: Count
    used: Count
    period_start: Timestamp
    period_end: Timestamp

class PlanExceededEvent(TypedDict):
    id: EventId
    type: Literal["plan.exceeded"]
    created_at: EventTime
    org_id: str
    data: PlanExceededEventData

class PlanInput(TypedDict):
    name: str
    runs_per_month: Count | None
    tokens_per_month: Count | None
    overage_policy: Literal["block", "allow"]
    id: NotRequired[ReadOnlyField]
    runs: NotRequired[IgnoredField]
    tokens: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class PlanOrNotSet(TypedDict):
    id: str | None
    name: str | None
    runs_per_month: Count | None
    tokens_per_month: Count | None
    overage_policy: str | None
    runs: Entitlement | None
    tokens: Entitlement | None
    period_start: Timestamp | None
    period_end: Timestamp | None
    created_at: Timestamp | None
    updated_at: Timestamp | None

class PlanPatch(TypedDict):
    name: NotRequired[str]
    runs_per_month: NotRequired[Count | None]
    tokens_per_month: NotRequired[Count | None]
    overage_policy: NotRequired[Literal["block", "allow"]]
    id: NotRequired[ReadOnlyField]
    runs: NotRequired[IgnoredField]
    tokens: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class PlanStoppedEventData(TypedDict):
    plan_id: str
    unit: str
    limit: Count
    used: Count
    held: Count
    attempted: Count
    period_start: Timestamp
    period_end: Timestamp

class PlanStoppedEvent(TypedDict):
    id: EventId
    type: Literal["plan.stopped"]
    created_at: EventTime
    org_id: str
    data: PlanStoppedEventData

class PolicyCreatedEventData(TypedDict):
    rule_id: str
    name: str
    effect: str
    target: str
    enabled: bool
    shadow: bool

class PolicyCreatedEvent(TypedDict):
    id: EventId
    type: Literal["policy.created"]
    created_at: EventTime
    org_id: str
    data: PolicyCreatedEventData

class PolicyDeletedEventData(TypedDict):
    rule_id: str
    name: str
    effect: str
    target: str
    enabled: bool
    shadow: bool

class PolicyDeletedEvent(TypedDict):
    id: EventId
    type: Literal["policy.deleted"]
    created_at: EventTime
    org_id: str
    data: PolicyDeletedEventData

class PolicyMatch(TypedDict):
    id: str
    minute: Timestamp
    rule_id: str
    rule_version: Count
    outcome: str
    shadow: bool
    count: Count
    attempt: dict[str, Any]

class PolicyMatchList(TypedDict):
    data: list[PolicyMatch]
    next_cursor: NextCursor

class PolicyPatch(TypedDict):
    name: NotRequired[str]
    effect: NotRequired[Literal["block", "require_approval", "allow"]]
    target: NotRequired[Literal["model", "action"]]
    priority: NotRequired[int]
    expression: NotRequired[str]
    reason: NotRequired[str]
    enabled: NotRequired[bool]
    shadow: NotRequired[bool]
    approver: NotRequired[Literal["anyone", "person", "another_person"]]
    id: NotRequired[ReadOnlyField]
    version: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class PolicyUpdatedEventData(TypedDict):
    rule_id: str
    name: str
    effect: str
    target: str
    enabled: bool
    shadow: bool

class PolicyUpdatedEvent(TypedDict):
    id: EventId
    type: Literal["policy.updated"]
    created_at: EventTime
    org_id: str
    data: PolicyUpdatedEventData

class PostedEvals(TypedDict):
    data: list[EvalResult]

class PriceChangedEventDataPricesItem(TypedDict):
    change: str
    price_id: str
    model: str
    provider: str | None
    effective_from: Timestamp
    input_usd_per_million: Usd
    output_usd_per_million: Usd

class PriceChangedEventData(TypedDict):
    added: Count
    changed: Count
    removed: Count
    prices: list[PriceChangedEventDataPricesItem]

class PriceChangedEvent(TypedDict):
    id: EventId
    type: Literal["price.changed"]
    created_at: EventTime
    org_id: str
    data: PriceChangedEventData

class PriceComparison(TypedDict):
    calls: Count
    data: list[ComparedModel]

class PriceComparisonInputModelsItem(TypedDict):
    model: OwnId
    provider: NotRequired[str]

class PriceComparisonInput(TypedDict):
    models: list[PriceComparisonInputModelsItem]
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: NotRequired[int]
    cache_creation_input_tokens: NotRequired[int]
    calls: NotRequired[int]

class PriceImport(TypedDict):
    dry_run: bool
    format: str
    models: Count
    chosen: Count
    added: Count
    changed: Count
    removed: Count
    unchanged: Count
    kept: Count
    entries: Count
    max_entries: Count
    changes: list[PriceImportChange]
    refused: list[PriceImportRemark]
    left_out: list[PriceImportRemark]
    not_expressed: list[PriceImportRemark]
    not_in_file: list[PriceImportRemark]
    digest: str

class PriceImportChange(TypedDict):
    change: str
    model: str
    provider: str | None
    effective_from: Timestamp | None
    terms: list[PriceImportTerm]

class PriceImportInput(TypedDict):
    file: str
    format: NotRequired[Literal["genai-prices", "litellm", "models.dev"]]
    providers: NotRequired[list[str]]
    only: NotRequired[list[str]]
    replace: NotRequired[bool]
    with_free: NotRequired[bool]
    skip_refused: NotRequired[bool]
    dry_run: NotRequired[bool]
    digest: NotRequired[str]

class PriceImportRemark(TypedDict):
    model: str
    line: int | None
    message: str

class PriceImportTerm(TypedDict):
    term: str
    before: str | None
    after: str | None
    difference_percent: float | None

class PriceMultipliers(TypedDict):
    priority: NotRequired[str]
    flex: NotRequired[str]
    batch: NotRequired[str]

class PricePatch(TypedDict):
    model: NotRequired[str]
    provider: NotRequired[str | None]
    input_usd_per_million: NotRequired[str]
    output_usd_per_million: NotRequired[str]
    cache_read_usd_per_million: NotRequired[str]
    cache_write_usd_per_million: NotRequired[str]
    other_usd_per_million: NotRequired[OtherUsdPerMillion]
    tiers: NotRequired[list[PriceTier]]
    units_usd: NotRequired[dict[str, Usd]]
    multipliers: NotRequired[PriceMultipliers]
    max_output_tokens: NotRequired[int | None]
    effective_from: NotRequired[str]
    id: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]

class PriceTier(TypedDict):
    above_input_tokens: int
    input_usd_per_million: str
    output_usd_per_million: str
    cache_read_usd_per_million: NotRequired[str]
    cache_write_usd_per_million: NotRequired[str]
    other_usd_per_million: NotRequired[OtherUsdPerMillion]

class PricesListPricesItem(TypedDict):
    id: str
    model: str
    provider: str | None
    input_usd_per_million: Usd
    output_usd_per_million: Usd
    cache_read_usd_per_million: Usd
    cache_write_usd_per_million: Usd
    other_usd_per_million: OtherUsdPerMillion
    tiers: list[PriceTier]
    units_usd: dict[str, Usd]
    multipliers: PriceMultipliers
    max_output_tokens: Count | None
    effective_from: Timestamp
    source: str

class PricesUnpricedModelsItem(TypedDict):
    model: str
    provider: str | None
    first_seen_at: Timestamp
    last_seen_at: Timestamp

class Prices(TypedDict):
    min_hold_usd: Usd
    unpriced: str
    unpriced_ceiling_usd: Usd | None
    default_max_output_tokens: int
    prices: list[OwnPrice]
    list_prices: list[PricesListPricesItem]
    unpriced_models: list[PricesUnpricedModelsItem]
    installation_updated_at: Timestamp | None
    updated_at: Timestamp | None

class PricesInput(TypedDict):
    prices: list[NewPrice]
    min_hold_usd: NotRequired[str]
    unpriced: NotRequired[Literal["refuse", "ceiling", "estimate"]]
    unpriced_ceiling_usd: NotRequired[Usd | None]
    default_max_output_tokens: NotRequired[int]
    list_prices: NotRequired[ReadOnlyField]
    unpriced_models: NotRequired[IgnoredField]
    installation_updated_at: NotRequired[IgnoredField]
    updated_at: NotRequired[ReadOnlyField]

class PricesPatch(TypedDict):
    prices: NotRequired[list[NewPrice]]
    min_hold_usd: NotRequired[str]
    unpriced: NotRequired[Literal["refuse", "ceiling", "estimate"]]
    unpriced_ceiling_usd: NotRequired[Usd | None]
    default_max_output_tokens: NotRequired[int]
    list_prices: NotRequired[ReadOnlyField]
    unpriced_models: NotRequired[IgnoredField]
    installation_updated_at: NotRequired[IgnoredField]
    updated_at: NotRequired[ReadOnlyField]

class Projection(TypedDict):
    team_count: Count
    return_usd: str

class Proposal(TypedDict):
    id: str
    status: str
    kind: str
    budget_id: str | None
    budget_name: str
    scope_kind: str
    scope_id: str | None
    period: str
    limit_before_usd: Usd | None
    limit_usd: Usd
    enforcement: str
    timezone: str | None
    reason: str
    requested_by: str
    decided_by: str | None
    decided_at: Timestamp | None
    note: str | None
    expires_at: Timestamp
    created_at: Timestamp
    updated_at: Timestamp

class ProposalApprovedEventData(TypedDict):
    proposal_id: str
    kind: str
    budget_name: str
    limit_before_usd: Usd | None
    limit_usd: Usd
    reason: str
    requested_by: str
    expires_at: Timestamp
    decided_by: str
    note: str | None

class ProposalApprovedEvent(TypedDict):
    id: EventId
    type: Literal["proposal.approved"]
    created_at: EventTime
    org_id: str
    data: ProposalApprovedEventData

class ProposalDecision(TypedDict):
    note: NotRequired[str]

class ProposalDeniedEventData(TypedDict):
    proposal_id: str
    kind: str
    budget_name: str
    limit_before_usd: Usd | None
    limit_usd: Usd
    reason: str
    requested_by: str
    expires_at: Timestamp
    decided_by: str
    note: str | None

class ProposalDeniedEvent(TypedDict):
    id: EventId
    type: Literal["proposal.denied"]
    created_at: EventTime
    org_id: str
    data: ProposalDeniedEventData

class ProposalList(TypedDict):
    data: list[Proposal]
    next_cursor: NextCursor

class ProposalRequestedEventData(TypedDict):
    proposal_id: str
    kind: str
    budget_name: str
    limit_before_usd: Usd | None
    limit_usd: Usd
    reason: str
    requested_by: str
    expires_at: Timestamp

class ProposalRequestedEvent(TypedDict):
    id: EventId
    type: Literal["proposal.requested"]
    created_at: EventTime
    org_id: str
    data: ProposalRequestedEventData

class Quota(TypedDict):
    prepaid: bool
    limit_usd: Usd | None
    spent_usd: Usd
    held_usd: Usd
    remaining_usd: Usd | None
    overrun_usd: Usd
    late_usd: Usd
    refused_count: Count
    exhausted_at: Timestamp | None
    period_start: Timestamp | None
    period_end: Timestamp | None

class QuotaDepletedEventData(TypedDict):
    top_up_id: str
    limit_usd: Usd
    spent_usd: Usd

class QuotaDepletedEvent(TypedDict):
    id: EventId
    type: Literal["quota.depleted"]
    created_at: EventTime
    org_id: str
    data: QuotaDepletedEventData

class QuotaLowEventData(TypedDict):
    top_up_id: str
    limit_usd: Usd
    spent_usd: Usd

class QuotaLowEvent(TypedDict):
    id: EventId
    type: Literal["quota.low"]
    created_at: EventTime
    org_id: str
    data: QuotaLowEventData

class QuotaStoppedEventData(TypedDict):
    top_up_id: str
    limit_usd: Usd
    spent_usd: Usd
    held_usd: Usd
    attempted_usd: Usd

class QuotaStoppedEvent(TypedDict):
    id: EventId
    type: Literal["quota.stopped"]
    created_at: EventTime
    org_id: str
    data: QuotaStoppedEventData

class RateLimitPolicyInput(TypedDict):
    kind: Literal["requests", "tokens", "quota"]
    per: Literal["org", "key", "route_class", "model"]
    match: NotRequired[str | None]
    amount: int
    window_seconds: int
    id: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]

class RateLimitsPoliciesItem(TypedDict):
    id: str
    kind: str
    per: str
    match: str | None
    amount: int
    window_seconds: int
    created_at: Timestamp

class RateLimits(TypedDict):
    default_rates: bool
    read_rpm: int | None
    on_unavailable: str
    policies: list[RateLimitsPoliciesItem]
    updated_at: Timestamp | None

class RateLimitsInput(TypedDict):
    default_rates: NotRequired[bool]
    read_rpm: int | None
    on_unavailable: NotRequired[Literal["local", "deny", "allow"]]
    policies: list[RateLimitPolicyInput]
    updated_at: NotRequired[ReadOnlyField]

class RateLimitsPatch(TypedDict):
    default_rates: NotRequired[bool]
    read_rpm: NotRequired[int | None]
    on_unavailable: NotRequired[Literal["local", "deny", "allow"]]
    policies: NotRequired[list[RateLimitPolicyInput]]
    updated_at: NotRequired[ReadOnlyField]

ReadOnlyField: TypeAlias = "Any"

class ReconciledFile(TypedDict):
    name: str | None
    format: str
    lines: Count
    bytes: Count
    sha256: str

class ReconciliationByReasonItem(TypedDict):
    reason: str
    count: Count
    difference_usd: str

class ReconciliationUnlisted(TypedDict):
    count: Count
    difference_usd: str

Reconciliation = TypedDict("Reconciliation", {"id": "str", "provider": "str", "from": "IsoDate", "to": "IsoDate", "tolerance_usd": "Usd", "tolerance_tokens": "Count", "files": "list[ReconciledFile]", "has_amounts": "bool", "has_tokens": "bool", "runs": "Count", "compared": "Count", "equal": "Count", "booked_usd": "str", "billed_usd": "str | None", "difference_usd": "str | None", "within_tolerance_usd": "str", "outside_usd": "str", "difference_count": "Count", "by_reason": "list[ReconciliationByReasonItem]", "created_by": "str", "created_at": "Timestamp", "differences": "list[ReconciliationDifference]", "unlisted": "ReconciliationUnlisted"})

class ReconciliationDifference(TypedDict):
    date: IsoDate
    model: str
    names: list[str]
    reason: str
    runs: Count
    booked_usd: str
    billed_usd: str | None
    difference_usd: str | None
    tokens: ReconciliationTokens | None
    tiers: list[str]

class ReconciliationInputFilesItem(TypedDict):
    name: NotRequired[str]
    text: str

ReconciliationInput = TypedDict("ReconciliationInput", {"files": "list[ReconciliationInputFilesItem]", "from": "NotRequired[str]", "to": "NotRequired[str]", "tolerance_usd": "NotRequired[str]", "tolerance_tokens": "NotRequired[int]"})

class ReconciliationSummaryByReasonItem(TypedDict):
    reason: str
    count: Count
    difference_usd: str

ReconciliationSummary = TypedDict("ReconciliationSummary", {"id": "str", "provider": "str", "from": "IsoDate", "to": "IsoDate", "tolerance_usd": "Usd", "tolerance_tokens": "Count", "files": "list[ReconciledFile]", "has_amounts": "bool", "has_tokens": "bool", "runs": "Count", "compared": "Count", "equal": "Count", "booked_usd": "str", "billed_usd": "str | None", "difference_usd": "str | None", "within_tolerance_usd": "str", "outside_usd": "str", "difference_count": "Count", "by_reason": "list[ReconciliationSummaryByReasonItem]", "created_by": "str", "created_at": "Timestamp"})

class ReconciliationSummaryList(TypedDict):
    data: list[ReconciliationSummary]
    next_cursor: NextCursor

class ReconciliationTokensInput(TypedDict):
    booked: int
    billed: int
    difference: int

class ReconciliationTokensCacheRead(TypedDict):
    booked: int
    billed: int
    difference: int

class ReconciliationTokensCacheWrite(TypedDict):
    booked: int
    billed: int
    difference: int

class ReconciliationTokensOutput(TypedDict):
    booked: int
    billed: int
    difference: int

class ReconciliationTokens(TypedDict):
    input: ReconciliationTokensInput
    cache_read: ReconciliationTokensCacheRead
    cache_write: ReconciliationTokensCacheWrite
    output: ReconciliationTokensOutput

class Refusal(TypedDict):
    id: str
    minute: Timestamp
    count: Count
    first_at: Timestamp
    last_at: Timestamp
    error_code: str
    message: str
    limit_id: str | None
    rule_id: str | None
    surface: str
    key_id: CreatorId | None
    model: str | None
    workflow_id: str | None
    deployment_id: str | None
    department_id: str | None
    customer_id: str | None
    user_id: str | None
    chain_id: str | None
    explanation: Explanation

class RefusalList(TypedDict):
    data: list[Refusal]
    next_cursor: NextCursor

class RegisteredForeignKeysDataItem(TypedDict):
    id: str
    key_id: str
    name: str
    owner_id: str | None
    pins: dict[str, str]
    status: str
    ends_at: Timestamp
    uses: Count
    last_used_at: Timestamp | None
    ended_at: Timestamp | None
    contested_at: Timestamp | None
    created_at: Timestamp
    created: bool

class RegisteredForeignKeys(TypedDict):
    data: list[RegisteredForeignKeysDataItem | None]

Replay = TypedDict("Replay", {"id": "str", "subscription_id": "str", "status": "str", "from": "Timestamp", "to": "Timestamp", "event_count": "Count", "told_count": "Count", "created_at": "Timestamp", "finished_at": "Timestamp | None"})

ReplayInput = TypedDict("ReplayInput", {"from": "str", "to": "NotRequired[str]", "events": "NotRequired[list[str]]"})

class ReplayList(TypedDict):
    data: list[Replay]
    next_cursor: NextCursor

class Reservation(TypedDict):
    reservation_id: str
    status: str
    reserved_usd: Usd
    charged_usd: Usd | None
    overrun_usd: Usd | None
    created_at: Timestamp
    expires_at: Timestamp

class ReservationList(TypedDict):
    data: list[Reservation]
    next_cursor: NextCursor

class Residency(TypedDict):
    residency: str
    home_region: str | None

class ResidencyInput(TypedDict):
    residency: Literal["none", "strict"]
    home_region: NotRequired[ReadOnlyField]

class ResidencyPatch(TypedDict):
    residency: NotRequired[Literal["none", "strict"]]
    home_region: NotRequired[ReadOnlyField]

class RetentionPolicy(TypedDict):
    raw_days: int
    class_days: int
    created_at: Timestamp | None
    updated_at: Timestamp | None

class RetentionPolicyInput(TypedDict):
    raw_days: int
    class_days: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class RetentionPolicyPatch(TypedDict):
    raw_days: NotRequired[int]
    class_days: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class RevokeInput(TypedDict):
    descendants: NotRequired[bool]

class RevokedKey(TypedDict):
    id: str
    org_id: str
    name: str
    role: str
    scopes: list[str]
    pins: dict[str, str]
    status: str
    not_before: Timestamp | None
    expires_at: Timestamp | None
    owner_id: str | None
    minted_by: str | None
    rotated_from: str | None
    rotated_to: str | None
    last_used_at: Timestamp | None
    revoked_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    revoked_descendants: NotRequired[list[str]]

class RevokedSessions(TypedDict):
    revoked: int

class RoleRule(TypedDict):
    claim: str
    values: list[str]
    role: str

class RoleRuleInput(TypedDict):
    claim: str
    values: list[str]
    role: Literal["viewer", "member", "admin", "owner"]

class RotateKeyInput(TypedDict):
    overlap_seconds: NotRequired[int]

class RotateSigningInput(TypedDict):
    overlap_seconds: NotRequired[int]

class RouteConstraints(TypedDict):
    capabilities: NotRequired[list[str]]
    regions: NotRequired[list[str]]
    max_price_usd: NotRequired[Usd | None]
    max_latency_ms: NotRequired[int | None]
    min_context_tokens: NotRequired[int | None]

class RouteInput(TypedDict):
    name: str
    strategy: Literal["cheapest", "fastest", "best", "weighted"]
    bar: Bar | None
    constraints: NotRequired[RouteConstraints]
    candidates: NotRequired[list[Candidate] | None]

class RoutePatch(TypedDict):
    name: NotRequired[str]
    strategy: NotRequired[Literal["cheapest", "fastest", "best", "weighted"]]
    bar: NotRequired[Bar | None]
    constraints: NotRequired[RouteConstraints]
    candidates: NotRequired[list[Candidate] | None]
    id: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class RouteReplacement(TypedDict):
    name: str
    strategy: Literal["cheapest", "fastest", "best", "weighted"]
    bar: Bar | None
    constraints: NotRequired[RouteConstraints]
    candidates: NotRequired[list[Candidate] | None]
    id: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class RoutingDecisionRunnersUpItem(TypedDict):
    model: str
    provider: str | None
    estimated_cost_usd: Usd
    score: float | None
    latency_ms: Count | None

class RoutingDecisionExcludedItemReasonsItem(TypedDict):
    code: str
    message: str

class RoutingDecisionExcludedItem(TypedDict):
    model: str
    provider: str | None
    reasons: list[RoutingDecisionExcludedItemReasonsItem]

class RoutingDecision(TypedDict):
    decision_id: str
    route_id: str
    route: str
    model: str
    provider: str | None
    estimated_cost_usd: Usd
    score: float | None
    latency_ms: Count | None
    runners_up: list[RoutingDecisionRunnersUpItem]
    excluded: list[RoutingDecisionExcludedItem]

class RoutingInput(TypedDict):
    route: str
    estimated_cost_usd: NotRequired[Usd]
    input_tokens: NotRequired[int]
    max_output_tokens: NotRequired[int]
    service_tier: NotRequired[Literal["standard", "priority", "flex", "batch"]]
    cache_creation: NotRequired[Literal["none", "5m", "1h"]]
    units: NotRequired[Units]
    workflow_id: NotRequired[OwnId]
    deployment_id: NotRequired[OwnId]
    department_id: NotRequired[OwnId]
    customer_id: NotRequired[OwnId]
    user_id: NotRequired[OwnId]
    tags: NotRequired[list[str]]
    operation: NotRequired[str]
    action: NotRequired[OwnId]
    metadata: NotRequired[Metadata]
    sticky: NotRequired[str]

class RoutingModelPrice(TypedDict):
    price_id: str
    input_usd_per_million: Usd
    output_usd_per_million: Usd
    cache_read_usd_per_million: Usd
    cache_write_usd_per_million: Usd
    max_output_tokens: Count | None

class RoutingModel(TypedDict):
    id: str
    model: str
    provider: str | None
    region: str | None
    capabilities: list[str]
    context_tokens: Count | None
    latency_ms: Count | None
    enabled: bool
    price: RoutingModelPrice | None
    created_at: Timestamp
    updated_at: Timestamp

class RoutingModelList(TypedDict):
    data: list[RoutingModel]
    next_cursor: NextCursor

class Rule(TypedDict):
    id: str
    name: str
    effect: str
    target: str
    priority: Count
    expression: str
    reason: str
    enabled: bool
    shadow: bool
    approver: str
    version: Count
    created_at: Timestamp
    updated_at: Timestamp

class RuleInput(TypedDict):
    name: str
    effect: Literal["block", "require_approval", "allow"]
    target: Literal["model", "action"]
    priority: int
    expression: str
    reason: str
    enabled: NotRequired[bool]
    shadow: NotRequired[bool]
    approver: NotRequired[Literal["anyone", "person", "another_person"]]

class RuleList(TypedDict):
    data: list[Rule]
    next_cursor: NextCursor

class RuleReplacement(TypedDict):
    name: str
    effect: Literal["block", "require_approval", "allow"]
    target: Literal["model", "action"]
    priority: int
    expression: str
    reason: str
    enabled: NotRequired[bool]
    shadow: NotRequired[bool]
    approver: NotRequired[Literal["anyone", "person", "another_person"]]
    id: NotRequired[ReadOnlyField]
    version: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class Run(TypedDict):
    id: str
    status: str
    model: str
    provider: str | None
    operation: str | None
    action: str | None
    workflow_id: str | None
    deployment_id: str | None
    department_id: str | None
    customer_id: str | None
    user_id: str | None
    chain_id: str | None
    parent_run_id: str | None
    depth: Count | None
    external_id: str | None
    key_id: CreatorId | None
    reservation_id: str | None
    decision_id: str | None
    input_tokens: int | None
    output_tokens: int | None
    cache_read_input_tokens: int | None
    cache_creation_input_tokens: int | None
    reasoning_output_tokens: int | None
    usage_detail: UsageDetail | None
    cost_usd: Usd | None
    cost_basis: str | None
    reserved_usd: Usd | None
    max_output_tokens: NotRequired[Count]
    overrun_usd: Usd | None
    value_usd: Usd | None
    tags: list[str]
    metadata: dict[str, Any]
    started_at: Timestamp
    ended_at: Timestamp | None
    expires_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp

class RunFinishedEventData(TypedDict):
    run_id: str
    external_id: str | None
    reservation_id: NotRequired[str | None]
    key_id: CreatorId | None
    status: str
    model: str
    provider: str | None
    workflow_id: str | None
    deployment_id: str | None
    department_id: str | None
    customer_id: str | None
    user_id: str | None
    chain_id: str | None
    cost_usd: Usd
    cost_basis: str
    input_tokens: Count | None
    output_tokens: Count | None
    started_at: Timestamp
    ended_at: Timestamp | None

class RunFinishedEvent(TypedDict):
    id: EventId
    type: Literal["run.finished"]
    created_at: EventTime
    org_id: str
    data: RunFinishedEventData

class RunList(TypedDict):
    data: list[Run]
    next_cursor: NextCursor

class SamlSettings(TypedDict):
    metadata_url: str | None
    entity_id: str
    sso_url: str
    certificates: list[str]
    email_attribute: str | None
    clock_skew_seconds: int

class SamlSettingsInput(TypedDict):
    metadata_xml: NotRequired[str]
    metadata_url: NotRequired[str | None]
    entity_id: NotRequired[str]
    sso_url: NotRequired[str]
    certificates: NotRequired[list[str]]
    email_attribute: NotRequired[str | None]
    clock_skew_seconds: NotRequired[int]

class Scenario(TypedDict):
    name: str
    kind: str
    at: IsoDate
    parameters: dict[str, float | str]
    notes: list[str]
    forecast: list[ForecastStep]
    total: ForecastTotal | None
    difference: ForecastAmount | None
    difference_percent: float | None
    exhaustion: list[Exhaustion]

class ScimToken(TypedDict):
    id: str
    org_id: str
    name: str
    status: str
    last_used_at: Timestamp | None
    revoked_at: Timestamp | None
    created_at: Timestamp

class ScimTokenInput(TypedDict):
    name: str

class ScimTokenList(TypedDict):
    data: list[ScimToken]
    next_cursor: NextCursor

class ScimTokenWithSecret(TypedDict):
    id: str
    org_id: str
    name: str
    status: str
    last_used_at: Timestamp | None
    revoked_at: Timestamp | None
    created_at: Timestamp
    secret: str
    base_url: str

class ScopedBudgetInput(TypedDict):
    name: str
    limit_usd: Usd | None
    timezone: NotRequired[Timezone]
    anchor: NotRequired[PeriodAnchor | None]
    enforcement: NotRequired[Literal["block", "alert"]]
    thresholds: NotRequired[Thresholds]
    id: NotRequired[ReadOnlyField]
    scope_kind: NotRequired[ReadOnlyField]
    scope_id: NotRequired[ReadOnlyField]
    and_scope_kind: NotRequired[ReadOnlyField]
    and_scope_id: NotRequired[ReadOnlyField]
    spent_usd: NotRequired[IgnoredField]
    held_usd: NotRequired[IgnoredField]
    remaining_usd: NotRequired[IgnoredField]
    overrun_usd: NotRequired[IgnoredField]
    late_usd: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    period: NotRequired[ReadOnlyField]
    next_schedule: NotRequired[ReadOnlyField]
    would_refuse_count: NotRequired[IgnoredField]
    counts_from: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class ServiceProvider(TypedDict):
    entity_id: str
    acs_url: str
    metadata_url: str

class Session(TypedDict):
    id: str
    org_id: str | None
    key_id: str | None
    member_id: str | None
    way: str
    connection_id: str | None
    status: str
    is_current: bool
    address: str
    user_agent: str
    last_used_at: Timestamp
    expires_at: Timestamp
    revoked_at: Timestamp | None
    created_at: Timestamp

class SessionList(TypedDict):
    data: list[Session]
    next_cursor: NextCursor

class SessionPolicy(TypedDict):
    idle_seconds: int | None
    max_seconds: int | None
    key_sign_in: str
    sso: str
    created_at: Timestamp | None
    updated_at: Timestamp | None

class SessionPolicyInput(TypedDict):
    idle_seconds: NotRequired[int | None]
    max_seconds: NotRequired[int | None]
    key_sign_in: NotRequired[Literal["allow", "refuse"]]
    sso: NotRequired[Literal["optional", "required"]]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class SessionPolicyPatch(TypedDict):
    idle_seconds: NotRequired[int | None]
    max_seconds: NotRequired[int | None]
    key_sign_in: NotRequired[Literal["allow", "refuse"]]
    sso: NotRequired[Literal["optional", "required"]]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class SettledRun(TypedDict):
    index: Count
    run_id: str

class SignInLink(TypedDict):
    url: str
    expires_at: Timestamp

class Signing(TypedDict):
    subscription_id: str
    version: int
    generation: Count
    rotated_at: Timestamp | None
    previous_expires_at: Timestamp | None

class SigningWithSecret(TypedDict):
    subscription_id: str
    version: int
    generation: Count
    rotated_at: Timestamp | None
    previous_expires_at: Timestamp | None
    secret: str

class SlackApp(TypedDict):
    id: str
    channel: str
    enabled: bool
    signing_secret_set_at: Timestamp
    signing_secret_set_by: list[str]
    bot_token_set_at: Timestamp
    fault: str | None
    created_at: Timestamp
    updated_at: Timestamp

class SlackAppInput(TypedDict):
    channel: str
    enabled: NotRequired[bool]
    signing_secret: NotRequired[str]
    bot_token: NotRequired[str]
    id: NotRequired[ReadOnlyField]
    signing_secret_set_at: NotRequired[ReadOnlyField]
    signing_secret_set_by: NotRequired[ReadOnlyField]
    bot_token_set_at: NotRequired[ReadOnlyField]
    fault: NotRequired[IgnoredField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class SlackAppOrNotSet(TypedDict):
    id: str | None
    channel: str | None
    enabled: bool | None
    signing_secret_set_at: Timestamp | None
    signing_secret_set_by: list[str] | None
    bot_token_set_at: Timestamp | None
    fault: str | None
    created_at: Timestamp | None
    updated_at: Timestamp | None

class SlackAppPatch(TypedDict):
    channel: NotRequired[str]
    enabled: NotRequired[bool]
    signing_secret: NotRequired[str]
    bot_token: NotRequired[str]
    id: NotRequired[ReadOnlyField]
    signing_secret_set_at: NotRequired[ReadOnlyField]
    signing_secret_set_by: NotRequired[ReadOnlyField]
    bot_token_set_at: NotRequired[ReadOnlyField]
    fault: NotRequired[IgnoredField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class SlackAppTest(TypedDict):
    ok: bool
    fault: str | None
    message: str | None
    team: str | None

class SlackLink(TypedDict):
    id: str
    member_id: str
    slack_team_id: str
    slack_user_id: str
    slack_user_name: str
    created_at: Timestamp

class SlackLinkList(TypedDict):
    data: list[SlackLink]
    next_cursor: NextCursor

class SlackManifestDisplayInformation(TypedDict):
    name: str
    description: str
    background_color: str

class SlackManifestFeaturesBotUser(TypedDict):
    display_name: str
    always_online: bool

class SlackManifestFeatures(TypedDict):
    bot_user: SlackManifestFeaturesBotUser

class SlackManifestOauthConfigScopes(TypedDict):
    bot: list[str]

class SlackManifestOauthConfig(TypedDict):
    scopes: SlackManifestOauthConfigScopes

class SlackManifestSettingsInteractivity(TypedDict):
    is_enabled: bool
    request_url: str

class SlackManifestSettings(TypedDict):
    interactivity: SlackManifestSettingsInteractivity
    org_deploy_enabled: bool
    socket_mode_enabled: bool
    token_rotation_enabled: bool

class SlackManifest(TypedDict):
    display_information: SlackManifestDisplayInformation
    features: SlackManifestFeatures
    oauth_config: SlackManifestOauthConfig
    settings: SlackManifestSettings

class SpendCap(TypedDict):
    id: str
    cap_usd: Usd
    timezone: str
    spent_usd: Usd
    held_usd: Usd
    remaining_usd: Usd | None
    overrun_usd: Usd
    late_usd: Usd
    refused_count: Count
    exhausted_at: Timestamp | None
    resets_at: Timestamp
    period_start: Timestamp
    period_end: Timestamp
    next_schedule: NextSchedule | None
    created_at: Timestamp
    updated_at: Timestamp

class SpendCapExceededEventData(TypedDict):
    spend_cap_id: str
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp

class SpendCapExceededEvent(TypedDict):
    id: EventId
    type: Literal["spend_cap.exceeded"]
    created_at: EventTime
    org_id: str
    data: SpendCapExceededEventData

class SpendCapInput(TypedDict):
    cap_usd: Usd
    timezone: NotRequired[Timezone]
    id: NotRequired[ReadOnlyField]
    spent_usd: NotRequired[IgnoredField]
    held_usd: NotRequired[IgnoredField]
    remaining_usd: NotRequired[IgnoredField]
    overrun_usd: NotRequired[IgnoredField]
    late_usd: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    resets_at: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    next_schedule: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class SpendCapOrNotSet(TypedDict):
    id: str | None
    cap_usd: Usd | None
    timezone: str | None
    spent_usd: Usd | None
    held_usd: Usd | None
    remaining_usd: Usd | None
    overrun_usd: Usd | None
    late_usd: Usd | None
    refused_count: Count | None
    exhausted_at: Timestamp | None
    resets_at: Timestamp | None
    period_start: Timestamp | None
    period_end: Timestamp | None
    next_schedule: NextSchedule | None
    created_at: Timestamp | None
    updated_at: Timestamp | None

class SpendCapPatch(TypedDict):
    cap_usd: NotRequired[Usd]
    timezone: NotRequired[Timezone]
    id: NotRequired[ReadOnlyField]
    spent_usd: NotRequired[IgnoredField]
    held_usd: NotRequired[IgnoredField]
    remaining_usd: NotRequired[IgnoredField]
    overrun_usd: NotRequired[IgnoredField]
    late_usd: NotRequired[IgnoredField]
    refused_count: NotRequired[IgnoredField]
    exhausted_at: NotRequired[IgnoredField]
    resets_at: NotRequired[IgnoredField]
    period_start: NotRequired[IgnoredField]
    period_end: NotRequired[IgnoredField]
    next_schedule: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class SpendCapStoppedEventData(TypedDict):
    spend_cap_id: str
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp
    held_usd: Usd
    attempted_usd: Usd

class SpendCapStoppedEvent(TypedDict):
    id: EventId
    type: Literal["spend_cap.stopped"]
    created_at: EventTime
    org_id: str
    data: SpendCapStoppedEventData

class SpendCapThresholdCrossedEventData(TypedDict):
    threshold_percent: int
    spend_cap_id: str
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp

class SpendCapThresholdCrossedEvent(TypedDict):
    id: EventId
    type: Literal["spend_cap.threshold_crossed"]
    created_at: EventTime
    org_id: str
    data: SpendCapThresholdCrossedEventData

class SsoConnection(TypedDict):
    id: str
    org_id: str
    kind: str
    name: str
    oidc: OidcSettings | None
    saml: SamlSettings | None
    service_provider: ServiceProvider | None
    role_rules: list[RoleRule]
    default_role: str | None
    jit: bool
    enabled: bool
    sign_in_url: str
    redirect_uri: str | None
    created_at: Timestamp
    updated_at: Timestamp

class SsoConnectionInput(TypedDict):
    kind: Literal["oidc", "saml"]
    name: str
    oidc: NotRequired[OidcSettingsInput | None]
    saml: NotRequired[SamlSettingsInput | None]
    role_rules: NotRequired[list[RoleRuleInput]]
    default_role: NotRequired[Literal["viewer", "member", "admin", "owner"] | None]
    jit: NotRequired[bool]
    enabled: NotRequired[bool]

class SsoConnectionList(TypedDict):
    data: list[SsoConnection]
    next_cursor: NextCursor

class SsoConnectionPatch(TypedDict):
    name: NotRequired[str]
    oidc: NotRequired[OidcSettingsReplacement | None]
    saml: NotRequired[SamlSettingsInput | None]
    role_rules: NotRequired[list[RoleRuleInput]]
    default_role: NotRequired[Literal["viewer", "member", "admin", "owner"] | None]
    jit: NotRequired[bool]
    enabled: NotRequired[bool]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    kind: NotRequired[ReadOnlyField]
    service_provider: NotRequired[ReadOnlyField]
    sign_in_url: NotRequired[ReadOnlyField]
    redirect_uri: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class SsoConnectionReplacement(TypedDict):
    name: str
    oidc: NotRequired[OidcSettingsReplacement | None]
    saml: NotRequired[SamlSettingsInput | None]
    role_rules: NotRequired[list[RoleRuleInput]]
    default_role: NotRequired[Literal["viewer", "member", "admin", "owner"] | None]
    jit: NotRequired[bool]
    enabled: NotRequired[bool]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    kind: NotRequired[ReadOnlyField]
    service_provider: NotRequired[ReadOnlyField]
    sign_in_url: NotRequired[ReadOnlyField]
    redirect_uri: NotRequired[ReadOnlyField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class SsoConnectionTest(TypedDict):
    ok: bool
    fault: str | None
    message: str | None
    issuer: str | None
    authorization_endpoint: str | None
    token_endpoint: str | None
    jwks_uri: str | None
    end_session_endpoint: str | None
    signing_algorithms: list[str]
    names_itself_in_answers: bool

class StartInput(TypedDict):
    model: NotRequired[OwnId]
    provider: NotRequired[str]
    estimated_cost_usd: NotRequired[Usd]
    input_tokens: NotRequired[int]
    max_output_tokens: NotRequired[int]
    min_output_tokens: NotRequired[int]
    service_tier: NotRequired[Literal["standard", "priority", "flex", "batch"]]
    cache_creation: NotRequired[Literal["none", "5m", "1h"]]
    units: NotRequired[Units]
    workflow_id: NotRequired[OwnId]
    deployment_id: NotRequired[OwnId]
    department_id: NotRequired[OwnId]
    customer_id: NotRequired[OwnId]
    user_id: NotRequired[OwnId]
    tags: NotRequired[list[str]]
    managed: NotRequired[bool]
    lease_seconds: NotRequired[int]
    route: NotRequired[str]
    sticky: NotRequired[str]
    operation: NotRequired[str]
    action: NotRequired[OwnId]
    chain_id: NotRequired[OwnId]
    parent_run_id: NotRequired[str]
    external_id: NotRequired[OwnId]
    metadata: NotRequired[Metadata]
    input: NotRequired[str | list[Any]]
    dry_run: NotRequired[bool]
    chain_limits: NotRequired[ChainBoundsReplacement]

class StartedRun(TypedDict):
    id: str
    status: str
    model: str
    provider: str | None
    operation: str | None
    action: str | None
    workflow_id: str | None
    deployment_id: str | None
    department_id: str | None
    customer_id: str | None
    user_id: str | None
    chain_id: str | None
    parent_run_id: str | None
    depth: Count | None
    external_id: str | None
    key_id: CreatorId | None
    reservation_id: str | None
    decision_id: str | None
    input_tokens: int | None
    output_tokens: int | None
    cache_read_input_tokens: int | None
    cache_creation_input_tokens: int | None
    reasoning_output_tokens: int | None
    usage_detail: UsageDetail | None
    cost_usd: Usd | None
    cost_basis: str | None
    reserved_usd: Usd | None
    max_output_tokens: NotRequired[Count]
    overrun_usd: Usd | None
    value_usd: Usd | None
    tags: list[str]
    metadata: dict[str, Any]
    started_at: Timestamp
    ended_at: Timestamp | None
    expires_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp
    remaining_usd: NotRequired[Usd | None]

class Subscription(TypedDict):
    id: str
    org_id: str
    url: str
    destination: Destination
    unconfirmed_recipients: list[str]
    events: list[str]
    description: str
    ordered: bool
    enabled: bool
    disabled_reason: str | None
    disabled_at: Timestamp | None
    created_by_grant: str | None
    signing_version: int
    health: Health
    created_at: Timestamp
    updated_at: Timestamp

class SubscriptionDisabledEventData(TypedDict):
    subscription_id: str
    origin: str
    reason: str
    disabled_at: Timestamp

class SubscriptionDisabledEvent(TypedDict):
    id: EventId
    type: Literal["subscription.disabled"]
    created_at: EventTime
    org_id: str
    data: SubscriptionDisabledEventData

class SubscriptionInput(TypedDict):
    url: NotRequired[str]
    destination: NotRequired[DestinationInput]
    events: NotRequired[list[str]]
    description: NotRequired[str]
    ordered: NotRequired[bool]
    enabled: NotRequired[bool]
    signing: NotRequired[Literal["organization", "subscription"]]

class SubscriptionList(TypedDict):
    data: list[Subscription]
    next_cursor: NextCursor

class SubscriptionReplacement(TypedDict):
    url: NotRequired[str]
    destination: NotRequired[DestinationInput]
    events: NotRequired[list[str]]
    description: NotRequired[str]
    ordered: NotRequired[bool]
    enabled: NotRequired[bool]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    unconfirmed_recipients: NotRequired[IgnoredField]
    disabled_reason: NotRequired[ReadOnlyField]
    disabled_at: NotRequired[ReadOnlyField]
    created_by_grant: NotRequired[ReadOnlyField]
    signing_version: NotRequired[ReadOnlyField]
    health: NotRequired[IgnoredField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class SupportGrant(TypedDict):
    id: str
    org_id: str
    operator_key_id: str
    scope: str
    reason: str
    status: str
    expires_at: Timestamp
    revoked_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp

class SupportGrantList(TypedDict):
    data: list[SupportGrant]
    next_cursor: NextCursor

class SuspendInput(TypedDict):
    reason: NotRequired[str]

Thresholds: TypeAlias = "list[int]"

Timestamp: TypeAlias = "str"

Timezone: TypeAlias = "str"

class TopUp(TypedDict):
    id: str
    name: str | None
    amount_usd: Usd
    spent_usd: Usd
    held_usd: Usd
    remaining_usd: Usd
    refused_count: Count
    exhausted_at: Timestamp | None
    created_at: Timestamp

class TopUpInput(TypedDict):
    amount_usd: Usd
    name: NotRequired[str]

class TopUpList(TypedDict):
    data: list[TopUp]
    next_cursor: NextCursor

class TracesBodyResourceSpansItemScopeSpansItem(TypedDict):
    spans: NotRequired[list[dict[str, Any]]]

class TracesBodyResourceSpansItem(TypedDict):
    resource: NotRequired[dict[str, Any]]
    scopeSpans: NotRequired[list[TracesBodyResourceSpansItemScopeSpansItem]]

class TracesBody(TypedDict):
    resourceSpans: NotRequired[list[TracesBodyResourceSpansItem]]

class TrustInput(TypedDict):
    reported_cost: NotRequired[Literal["accept", "raise_only", "ignore"]]
    reported_usage: NotRequired[Literal["accept", "raise_only"]]
    min_lease_seconds: NotRequired[int]
    release: NotRequired[Literal["allow", "refuse"]]
    edge_expiry: NotRequired[Literal["release", "charge"]]
    over_limit_reports: NotRequired[Literal["refuse", "book"]]
    max_overrun_usd: NotRequired[Usd | None]
    start_only: NotRequired[bool]
    input_required: NotRequired[bool]
    action_required: NotRequired[bool]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class TrustPatch(TypedDict):
    reported_cost: NotRequired[Literal["accept", "raise_only", "ignore"]]
    reported_usage: NotRequired[Literal["accept", "raise_only"]]
    min_lease_seconds: NotRequired[int]
    release: NotRequired[Literal["allow", "refuse"]]
    edge_expiry: NotRequired[Literal["release", "charge"]]
    over_limit_reports: NotRequired[Literal["refuse", "book"]]
    max_overrun_usd: NotRequired[Usd | None]
    start_only: NotRequired[bool]
    input_required: NotRequired[bool]
    action_required: NotRequired[bool]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class TrustSettings(TypedDict):
    reported_cost: str
    reported_usage: str
    min_lease_seconds: int
    release: str
    edge_expiry: str
    over_limit_reports: str
    max_overrun_usd: Usd | None
    start_only: bool
    input_required: bool
    action_required: bool
    created_at: Timestamp | None
    updated_at: Timestamp | None

Units: TypeAlias = "dict[str, int]"

class UsageTotals(TypedDict):
    runs: Count
    failed_runs: Count
    input_tokens: Count
    output_tokens: Count
    cache_read_input_tokens: Count
    cache_creation_input_tokens: Count
    reasoning_output_tokens: Count
    cost_usd: str
    estimated_usd: str
    overrun_usd: str
    value_usd: str
    average_duration_ms: Count | None

Usage = TypedDict("Usage", {"data": "list[UsageRow]", "next_cursor": "NextCursor", "totals": "UsageTotals", "granularity": "str", "from": "Timestamp", "to": "Timestamp"})

class UsageDetail(TypedDict):
    service_tier: NotRequired[str]
    cache_creation_1h_input_tokens: NotRequired[int]
    audio_input_tokens: NotRequired[int]
    image_input_tokens: NotRequired[int]
    video_input_tokens: NotRequired[int]
    cache_read_audio_input_tokens: NotRequired[int]
    cache_read_image_input_tokens: NotRequired[int]
    audio_output_tokens: NotRequired[int]
    image_output_tokens: NotRequired[int]
    video_output_tokens: NotRequired[int]
    citation_output_tokens: NotRequired[int]
    units: NotRequired[Units]
    parts: NotRequired[list[UsagePart]]

UsageGroup: TypeAlias = "str"

class UsagePart(TypedDict):
    model: OwnId
    provider: NotRequired[str]
    usage: PartUsage

class UsageRow(TypedDict):
    period_start: Timestamp
    period_end: Timestamp
    model: NotRequired[UsageGroup | None]
    provider: NotRequired[UsageGroup | None]
    workflow_id: NotRequired[UsageGroup | None]
    deployment_id: NotRequired[UsageGroup | None]
    department_id: NotRequired[UsageGroup | None]
    key_id: NotRequired[UsageGroup | None]
    user_id: NotRequired[UsageGroup | None]
    customer_id: NotRequired[UsageGroup | None]
    runs: Count
    failed_runs: Count
    input_tokens: Count
    output_tokens: Count
    cache_read_input_tokens: Count
    cache_creation_input_tokens: Count
    reasoning_output_tokens: Count
    cost_usd: str
    estimated_usd: str
    overrun_usd: str
    value_usd: str
    average_duration_ms: Count | None

class UsageValuesLimitedEventData(TypedDict):
    dimension: str
    limit: Count
    day: str

class UsageValuesLimitedEvent(TypedDict):
    id: EventId
    type: Literal["usage.values_limited"]
    created_at: EventTime
    org_id: str
    data: UsageValuesLimitedEventData

Usd: TypeAlias = "str"

class WebhookPatch(TypedDict):
    url: NotRequired[str]
    destination: NotRequired[DestinationInput]
    events: NotRequired[list[str]]
    description: NotRequired[str]
    ordered: NotRequired[bool]
    enabled: NotRequired[bool]
    id: NotRequired[ReadOnlyField]
    org_id: NotRequired[ReadOnlyField]
    unconfirmed_recipients: NotRequired[IgnoredField]
    disabled_reason: NotRequired[ReadOnlyField]
    disabled_at: NotRequired[ReadOnlyField]
    created_by_grant: NotRequired[ReadOnlyField]
    signing_version: NotRequired[ReadOnlyField]
    health: NotRequired[IgnoredField]
    created_at: NotRequired[ReadOnlyField]
    updated_at: NotRequired[ReadOnlyField]

class WebhookTestEventData(TypedDict):
    subscription_id: str

class WebhookTestEvent(TypedDict):
    id: EventId
    type: Literal["webhook.test"]
    created_at: EventTime
    org_id: str
    data: WebhookTestEventData

class WorkflowBounds(TypedDict):
    workflow_id: OwnId
    max_cost_usd: NotRequired[Usd | None]
    max_tokens: NotRequired[Count | None]
    max_depth: NotRequired[int | None]

Event: TypeAlias = "BudgetThresholdCrossedEvent | BudgetExceededEvent | BudgetStoppedEvent | SpendCapThresholdCrossedEvent | SpendCapExceededEvent | SpendCapStoppedEvent | CustomerLimitThresholdCrossedEvent | CustomerLimitExceededEvent | CustomerLimitStoppedEvent | PlanExceededEvent | PlanStoppedEvent | ChainExceededEvent | ChainStoppedEvent | CreditPackLowEvent | CreditPackDepletedEvent | CreditPackStoppedEvent | QuotaLowEvent | QuotaDepletedEvent | QuotaStoppedEvent | FreezeSetEvent | FreezeLiftedEvent | KeyUnreportedEvent | KeyHeldAtCostEvent | ConcurrencyLimitReachedEvent | UsageValuesLimitedEvent | PolicyCreatedEvent | PolicyUpdatedEvent | PolicyDeletedEvent | ApprovalRequestedEvent | ApprovalApprovedEvent | ApprovalDeniedEvent | ApprovalExpiredEvent | ProposalRequestedEvent | ProposalApprovedEvent | ProposalDeniedEvent | ContentSafetyDetectedEvent | EvalExpiredEvent | BenchmarkPublishedEvent | PriceChangedEvent | DecisionRefusedEvent | RunFinishedEvent | KeyCreatedEvent | KeyRotatedEvent | KeyRevokedEvent | OrgSuspendedEvent | OrgResumedEvent | OrgResidencyChangedEvent | SubscriptionDisabledEvent | DeprecationAnnouncedEvent | WebhookTestEvent"
