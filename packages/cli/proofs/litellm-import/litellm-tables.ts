/** The tables of LiteLLM that an import reads, as its `schema.prisma` has them: names, types, defaults and indexes. */
const stamps = `created_at timestamp(3) not null default now(), updated_at timestamp(3) not null default now()`
const makers = `created_by text not null default 'admin', updated_by text not null default 'admin'`
const rates = `tpm_limit bigint, rpm_limit bigint, max_parallel_requests integer`
const budget = `max_budget double precision, budget_duration text, budget_reset_at timestamp(3)`
const models = `models text[], model_spend jsonb not null default '{}', model_max_budget jsonb not null default '{}'`

export const litellmTables = `
  create table "LiteLLM_BudgetTable" (budget_id text primary key, soft_budget double precision, ${rates}, ${budget}, model_max_budget jsonb,
    allowed_models text[] default '{}', ${stamps}, ${makers});
  create table "LiteLLM_OrganizationTable" (organization_id text primary key, organization_alias text not null, budget_id text,
    metadata jsonb not null default '{}', models text[], spend double precision not null default 0, model_spend jsonb not null default '{}',
    object_permission_id text, ${stamps}, ${makers});
  create table "LiteLLM_TeamTable" (team_id text primary key, team_alias text, organization_id text, object_permission_id text, admins text[],
    members text[], members_with_roles jsonb not null default '{}', metadata jsonb not null default '{}', soft_budget double precision,
    spend double precision not null default 0, blocked boolean not null default false, router_settings jsonb default '{}', budget_limits jsonb,
    ${rates}, ${budget}, ${models}, ${stamps});
  create table "LiteLLM_UserTable" (user_id text primary key, user_alias text, team_id text, sso_user_id text unique, organization_id text,
    password text, teams text[] default '{}', user_role text, spend double precision not null default 0, user_email text,
    metadata jsonb not null default '{}', ${rates}, ${budget}, ${models}, ${stamps});
  create table "LiteLLM_EndUserTable" (user_id text primary key, alias text, spend double precision not null default 0,
    allowed_model_region text, default_model text, budget_id text, object_permission_id text, blocked boolean not null default false);
  create table "LiteLLM_TeamMembership" (user_id text, team_id text, spend double precision not null default 0,
    total_spend double precision not null default 0, budget_id text, primary key (user_id, team_id));
  create table "LiteLLM_VerificationToken" (token text primary key, key_name text, key_alias text, soft_budget_cooldown boolean not null default false,
    spend double precision not null default 0, expires timestamp(3), aliases jsonb not null default '{}', config jsonb not null default '{}',
    router_settings jsonb default '{}', user_id text, team_id text, agent_id text, project_id text, permissions jsonb not null default '{}',
    metadata jsonb not null default '{}', blocked boolean, allowed_cache_controls text[] default '{}', allowed_routes text[] default '{}',
    policies text[] default '{}', budget_id text, organization_id text, object_permission_id text, auto_rotate boolean default false,
    budget_limits jsonb, ${rates}, ${budget}, ${models}, ${stamps});
  create table "LiteLLM_SpendLogs" (request_id text primary key, call_type text not null, api_key text not null default '',
    spend double precision not null default 0, total_tokens integer not null default 0, prompt_tokens integer not null default 0,
    completion_tokens integer not null default 0, "startTime" timestamp(3) not null, "endTime" timestamp(3) not null,
    request_duration_ms integer, "completionStartTime" timestamp(3), model text not null default '', model_id text default '',
    model_group text default '', custom_llm_provider text default '', api_base text default '', "user" text default '',
    metadata jsonb default '{}', cache_hit text default '', cache_key text default '', request_tags jsonb default '[]', team_id text,
    organization_id text, end_user text, requester_ip_address text, messages jsonb default '{}', response jsonb default '{}',
    session_id text, status text, mcp_namespaced_tool_name text, agent_id text, proxy_server_request jsonb default '{}');
  create index on "LiteLLM_SpendLogs" ("startTime");
  create index on "LiteLLM_SpendLogs" ("startTime", request_id);
  create index on "LiteLLM_SpendLogs" (end_user);`
