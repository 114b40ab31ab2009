# Generated from openapi.json: pnpm generate.
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict, Union

from .types import Count, FieldError, SettledRun, Timestamp, Usd

ErrorCode: TypeAlias = Literal["bad_request", "budget_exceeded", "chain_budget_exceeded", "concurrency_exceeded", "conflict", "content_safety_blocked", "credits_exhausted", "forbidden", "frozen", "gone", "idempotency_key_conflict", "idempotency_key_processing", "insufficient_cohort_size", "internal", "ip_not_allowed", "key_expired", "missing_scope", "no_model_passes_eval", "not_found", "org_suspended", "payload_too_large", "plan_limit_exceeded", "policy_approval_required", "policy_blocked", "policy_expression_error", "precondition_failed", "quota_exhausted", "rate_limited", "residency_violation", "service_unavailable", "session_revoked", "spend_cap_exceeded", "support_scope_denied", "unauthorized", "validation_failed"]

class BadRequestDetails(TypedDict):
    pass

class BudgetExceededDetails(TypedDict):
    budget_id: str
    scope_kind: Literal["org", "workflow", "deployment", "department", "customer", "user", "key", "provider", "model", "tag"]
    limit_usd: Usd
    spent_usd: Usd
    period_start: Timestamp
    period_end: Timestamp
    and_scope_kind: NotRequired[Literal["org", "workflow", "deployment", "department", "customer", "user", "key", "provider", "model", "tag"]]
    and_scope_id: NotRequired[str]
    held_usd: NotRequired[Usd]
    attempted_usd: NotRequired[Usd]
    decision_id: NotRequired[str]
    index: NotRequired[Count]
    settled: NotRequired[list[SettledRun]]
    fits: NotRequired[str]
    remaining_usd: NotRequired[Usd]
    fits_max_output_tokens: NotRequired[Count]

class ChainBudgetExceededDetails(TypedDict):
    reason: Literal["cost", "depth", "tokens"]
    current: Usd | Count
    attempted: Usd | Count
    limit: Usd | Count
    decision_id: NotRequired[str]
    index: NotRequired[Count]
    settled: NotRequired[list[SettledRun]]
    fits: NotRequired[str]
    remaining_usd: NotRequired[Usd]
    fits_max_output_tokens: NotRequired[Count]

class ConcurrencyExceededDetails(TypedDict):
    concurrency_limit_id: str
    scope_kind: Literal["org", "workflow", "deployment", "department", "customer", "user", "key", "provider", "model", "tag"]
    max_runs: Count
    running: Count
    decision_id: NotRequired[str]
    index: NotRequired[Count]
    settled: NotRequired[list[SettledRun]]
    fits: NotRequired[str]
    remaining_usd: NotRequired[Usd]
    fits_max_output_tokens: NotRequired[Count]

class ConflictDetails(TypedDict):
    pass

class ContentSafetyBlockedDetails(TypedDict):
    detector: str
    sample: str

class CreditsExhaustedDetails(TypedDict):
    available_usd: Usd
    attempted_usd: Usd
    decision_id: NotRequired[str]
    index: NotRequired[Count]
    settled: NotRequired[list[SettledRun]]
    fits: NotRequired[str]
    remaining_usd: NotRequired[Usd]
    fits_max_output_tokens: NotRequired[Count]

class ForbiddenDetails(TypedDict):
    pass

class FrozenDetails(TypedDict):
    freeze_id: str
    target_kind: Literal["org", "key", "limit"]
    target_id: str
    reason: str
    frozen_at: Timestamp
    decision_id: NotRequired[str]
    index: NotRequired[Count]
    settled: NotRequired[list[SettledRun]]
    fits: NotRequired[str]
    remaining_usd: NotRequired[Usd]
    fits_max_output_tokens: NotRequired[Count]

class GoneDetails(TypedDict):
    pass

class IdempotencyKeyConflictDetails(TypedDict):
    pass

class IdempotencyKeyProcessingDetails(TypedDict):
    pass

class InsufficientCohortSizeDetails(TypedDict):
    minimum_cohort_size: Count

class InternalDetails(TypedDict):
    pass

class IpNotAllowedDetails(TypedDict):
    pass

class KeyExpiredDetails(TypedDict):
    pass

class MissingScopeDetails(TypedDict):
    required: str

class NoModelPassesEvalDetails(TypedDict):
    pass

class NotFoundDetails(TypedDict):
    pass

class OrgSuspendedDetails(TypedDict):
    pass

class PayloadTooLargeDetails(TypedDict):
    pass

class PlanLimitExceededDetails(TypedDict):
    limit_kind: Literal["runs", "tokens"]
    limit: Count
    used: Count
    decision_id: NotRequired[str]
    index: NotRequired[Count]
    settled: NotRequired[list[SettledRun]]
    fits: NotRequired[str]
    remaining_usd: NotRequired[Usd]
    fits_max_output_tokens: NotRequired[Count]

class PolicyApprovalRequiredDetails(TypedDict):
    reason: str
    attempted: str
    rule_id: str
    decision_id: NotRequired[str]
    approval_id: NotRequired[str]
    approval_status: NotRequired[str]

class PolicyBlockedDetails(TypedDict):
    reason: str
    attempted: str
    rule_id: str
    decision_id: NotRequired[str]
    approval_id: NotRequired[str]
    approval_status: NotRequired[str]

class PolicyExpressionErrorDetails(TypedDict):
    rule_id: str

class PreconditionFailedDetails(TypedDict):
    pass

class QuotaExhaustedDetails(TypedDict):
    quota_kind: str
    limit: Usd | Count
    used: Usd | Count
    attempted: Usd | Count
    resets_at: Timestamp | None
    decision_id: NotRequired[str]
    index: NotRequired[Count]
    settled: NotRequired[list[SettledRun]]
    fits: NotRequired[str]
    remaining_usd: NotRequired[Usd]
    fits_max_output_tokens: NotRequired[Count]

class RateLimitedDetails(TypedDict):
    retry_after_seconds: int

class ResidencyViolationDetails(TypedDict):
    pass

class ServiceUnavailableDetails(TypedDict):
    pass

class SessionRevokedDetails(TypedDict):
    pass

class SpendCapExceededDetails(TypedDict):
    cap_usd: Usd
    spent_usd: Usd
    resets_at: Timestamp
    reason: NotRequired[str]
    held_usd: NotRequired[Usd]
    attempted_usd: NotRequired[Usd]
    decision_id: NotRequired[str]
    index: NotRequired[Count]
    settled: NotRequired[list[SettledRun]]
    fits: NotRequired[str]
    remaining_usd: NotRequired[Usd]
    fits_max_output_tokens: NotRequired[Count]

class SupportScopeDeniedDetails(TypedDict):
    reason: str
    scope: str
    method: str

class UnauthorizedDetails(TypedDict):
    pass

class ValidationFailedDetails(TypedDict):
    fields: list[FieldError]

@dataclass(frozen=True)
class BadRequest:
    message: str
    details: BadRequestDetails
    code: Literal["bad_request"] = "bad_request"

@dataclass(frozen=True)
class BudgetExceeded:
    message: str
    details: BudgetExceededDetails
    code: Literal["budget_exceeded"] = "budget_exceeded"

@dataclass(frozen=True)
class ChainBudgetExceeded:
    message: str
    details: ChainBudgetExceededDetails
    code: Literal["chain_budget_exceeded"] = "chain_budget_exceeded"

@dataclass(frozen=True)
class ConcurrencyExceeded:
    message: str
    details: ConcurrencyExceededDetails
    code: Literal["concurrency_exceeded"] = "concurrency_exceeded"

@dataclass(frozen=True)
class Conflict:
    message: str
    details: ConflictDetails
    code: Literal["conflict"] = "conflict"

@dataclass(frozen=True)
class ContentSafetyBlocked:
    message: str
    details: ContentSafetyBlockedDetails
    code: Literal["content_safety_blocked"] = "content_safety_blocked"

@dataclass(frozen=True)
class CreditsExhausted:
    message: str
    details: CreditsExhaustedDetails
    code: Literal["credits_exhausted"] = "credits_exhausted"

@dataclass(frozen=True)
class Forbidden:
    message: str
    details: ForbiddenDetails
    code: Literal["forbidden"] = "forbidden"

@dataclass(frozen=True)
class Frozen:
    message: str
    details: FrozenDetails
    code: Literal["frozen"] = "frozen"

@dataclass(frozen=True)
class Gone:
    message: str
    details: GoneDetails
    code: Literal["gone"] = "gone"

@dataclass(frozen=True)
class IdempotencyKeyConflict:
    message: str
    details: IdempotencyKeyConflictDetails
    code: Literal["idempotency_key_conflict"] = "idempotency_key_conflict"

@dataclass(frozen=True)
class IdempotencyKeyProcessing:
    message: str
    details: IdempotencyKeyProcessingDetails
    code: Literal["idempotency_key_processing"] = "idempotency_key_processing"

@dataclass(frozen=True)
class InsufficientCohortSize:
    message: str
    details: InsufficientCohortSizeDetails
    code: Literal["insufficient_cohort_size"] = "insufficient_cohort_size"

@dataclass(frozen=True)
class Internal:
    message: str
    details: InternalDetails
    code: Literal["internal"] = "internal"

@dataclass(frozen=True)
class IpNotAllowed:
    message: str
    details: IpNotAllowedDetails
    code: Literal["ip_not_allowed"] = "ip_not_allowed"

@dataclass(frozen=True)
class KeyExpired:
    message: str
    details: KeyExpiredDetails
    code: Literal["key_expired"] = "key_expired"

@dataclass(frozen=True)
class MissingScope:
    message: str
    details: MissingScopeDetails
    code: Literal["missing_scope"] = "missing_scope"

@dataclass(frozen=True)
class NoModelPassesEval:
    message: str
    details: NoModelPassesEvalDetails
    code: Literal["no_model_passes_eval"] = "no_model_passes_eval"

@dataclass(frozen=True)
class NotFound:
    message: str
    details: NotFoundDetails
    code: Literal["not_found"] = "not_found"

@dataclass(frozen=True)
class OrgSuspended:
    message: str
    details: OrgSuspendedDetails
    code: Literal["org_suspended"] = "org_suspended"

@dataclass(frozen=True)
class PayloadTooLarge:
    message: str
    details: PayloadTooLargeDetails
    code: Literal["payload_too_large"] = "payload_too_large"

@dataclass(frozen=True)
class PlanLimitExceeded:
    message: str
    details: PlanLimitExceededDetails
    code: Literal["plan_limit_exceeded"] = "plan_limit_exceeded"

@dataclass(frozen=True)
class PolicyApprovalRequired:
    message: str
    details: PolicyApprovalRequiredDetails
    code: Literal["policy_approval_required"] = "policy_approval_required"

@dataclass(frozen=True)
class PolicyBlocked:
    message: str
    details: PolicyBlockedDetails
    code: Literal["policy_blocked"] = "policy_blocked"

@dataclass(frozen=True)
class PolicyExpressionError:
    message: str
    details: PolicyExpressionErrorDetails
    code: Literal["policy_expression_error"] = "policy_expression_error"

@dataclass(frozen=True)
class PreconditionFailed:
    message: str
    details: PreconditionFailedDetails
    code: Literal["precondition_failed"] = "precondition_failed"

@dataclass(frozen=True)
class QuotaExhausted:
    message: str
    details: QuotaExhaustedDetails
    code: Literal["quota_exhausted"] = "quota_exhausted"

@dataclass(frozen=True)
class RateLimited:
    message: str
    details: RateLimitedDetails
    code: Literal["rate_limited"] = "rate_limited"

@dataclass(frozen=True)
class ResidencyViolation:
    message: str
    details: ResidencyViolationDetails
    code: Literal["residency_violation"] = "residency_violation"

@dataclass(frozen=True)
class ServiceUnavailable:
    message: str
    details: ServiceUnavailableDetails
    code: Literal["service_unavailable"] = "service_unavailable"

@dataclass(frozen=True)
class SessionRevoked:
    message: str
    details: SessionRevokedDetails
    code: Literal["session_revoked"] = "session_revoked"

@dataclass(frozen=True)
class SpendCapExceeded:
    message: str
    details: SpendCapExceededDetails
    code: Literal["spend_cap_exceeded"] = "spend_cap_exceeded"

@dataclass(frozen=True)
class SupportScopeDenied:
    message: str
    details: SupportScopeDeniedDetails
    code: Literal["support_scope_denied"] = "support_scope_denied"

@dataclass(frozen=True)
class Unauthorized:
    message: str
    details: UnauthorizedDetails
    code: Literal["unauthorized"] = "unauthorized"

@dataclass(frozen=True)
class ValidationFailed:
    message: str
    details: ValidationFailedDetails
    code: Literal["validation_failed"] = "validation_failed"

Fault: TypeAlias = Union[BadRequest, BudgetExceeded, ChainBudgetExceeded, ConcurrencyExceeded, Conflict, ContentSafetyBlocked, CreditsExhausted, Forbidden, Frozen, Gone, IdempotencyKeyConflict, IdempotencyKeyProcessing, InsufficientCohortSize, Internal, IpNotAllowed, KeyExpired, MissingScope, NoModelPassesEval, NotFound, OrgSuspended, PayloadTooLarge, PlanLimitExceeded, PolicyApprovalRequired, PolicyBlocked, PolicyExpressionError, PreconditionFailed, QuotaExhausted, RateLimited, ResidencyViolation, ServiceUnavailable, SessionRevoked, SpendCapExceeded, SupportScopeDenied, Unauthorized, ValidationFailed]

FAULTS: Final[dict[str, type[Any]]] = {
    "bad_request": BadRequest,
    "budget_exceeded": BudgetExceeded,
    "chain_budget_exceeded": ChainBudgetExceeded,
    "concurrency_exceeded": ConcurrencyExceeded,
    "conflict": Conflict,
    "content_safety_blocked": ContentSafetyBlocked,
    "credits_exhausted": CreditsExhausted,
    "forbidden": Forbidden,
    "frozen": Frozen,
    "gone": Gone,
    "idempotency_key_conflict": IdempotencyKeyConflict,
    "idempotency_key_processing": IdempotencyKeyProcessing,
    "insufficient_cohort_size": InsufficientCohortSize,
    "internal": Internal,
    "ip_not_allowed": IpNotAllowed,
    "key_expired": KeyExpired,
    "missing_scope": MissingScope,
    "no_model_passes_eval": NoModelPassesEval,
    "not_found": NotFound,
    "org_suspended": OrgSuspended,
    "payload_too_large": PayloadTooLarge,
    "plan_limit_exceeded": PlanLimitExceeded,
    "policy_approval_required": PolicyApprovalRequired,
    "policy_blocked": PolicyBlocked,
    "policy_expression_error": PolicyExpressionError,
    "precondition_failed": PreconditionFailed,
    "quota_exhausted": QuotaExhausted,
    "rate_limited": RateLimited,
    "residency_violation": ResidencyViolation,
    "service_unavailable": ServiceUnavailable,
    "session_revoked": SessionRevoked,
    "spend_cap_exceeded": SpendCapExceeded,
    "support_scope_denied": SupportScopeDenied,
    "unauthorized": Unauthorized,
    "validation_failed": ValidationFailed,
}
