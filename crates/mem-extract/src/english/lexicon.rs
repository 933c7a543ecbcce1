//! Words by what they do in a sentence: verbs, what stands before them, and where teams keep things.

/// Words that stand before the matter of a clause.
pub const LEADS: &str = "please and but so then also just now ok okay no nope yes yeah yep actually hmm well right again instead \
    otherwise oh hey sorry always never thanks fine good great wait still anyway really ah alright rather \
    only simply generally kindly or ideally henceforth btw fyi sure perfect exactly consistently \
    permanently strictly preferably first";

/// Phrases that stand before the matter of a clause.
pub const LEAD_PHRASES: &str = "this one time; only for today; only today; for now; this time; just this once; this once; for the moment; for the time being; just for this ?; \
    for this ?; today only; whatever you do; heads up; heads-up; just so you know; so you know; \
    for context; to be clear; note that; please note; in this case; from now on; from today on; \
    from here on; in future; in the future; going forward; moving forward; next time; as a rule; \
    by default; in general; every time; each time; from this point on; at all times; of course; by the way; \
    for the future; for future reference; remember to; remember that; remember; make sure to; make sure; \
    be sure to; can you; could you; would you; will you; please do; let's; you should; you must; \
    you need to; you have to; i want you to; i need you to; i'd like you to; until further notice; \
    without exception";

/// Beginnings of questions.
pub const QUESTION_WORDS: &str = "why; what; what's; which; who; who's; whose; where; where's; how; how's; \
    when do|does|did|is|are|was|will|can|should; is|are|was|were ?; \
    do|does|did i|we|you|they|it|the|that|this; has|have i|we|you|they|it|the|anyone|somebody; should i|we; \
    shall i|we; am i; any idea; isn't|aren't|doesn't|didn't|don't you|we|it|they";

/// Beginnings of questions that are orders.
pub const REQUESTS: &str = "can|could|would|will you; would you mind; can|could|may we; mind *ing; may i ask you";

/// Verbs of a manner: what they order has no end.
pub const STANDING: &str = "use keep prefer avoid stick follow write put answer reply respond name call prefix suffix quote cite \
    ask confirm wait leave treat assume default ensure include mention link tag round mask spell limit cap \
    expect speak talk address target stay refer phrase measure prove warn be indent capitalise capitalize \
    separate omit favour favor rely verify lead express abbreviate consult involve double-check";

/// Verbs of a deed: what they order is over when it is done.
pub const TELIC: &str = "add rename fix run delete remove change move create open close commit push merge deploy install update \
    implement refactor revert undo print find look read summarise summarize translate make build rebase \
    continue generate replace extract split try skip restart bump send set review finish take pull fetch \
    compare turn switch convert kill squash tidy clean copy paste drop apply stop touch edit ignore carry \
    post file export import retry wrap bundle backfill shorten prepare double increase lower raise disable \
    enable upload download plot draw schedule book cancel cut reorder inline rewrite redo compute calculate \
    count search grep";

/// Verbs that are either, as the rest of the sentence has it.
pub const EITHER: &str = "check tell give report present convert explain begin end log number label comment document store group \
    sort state do save get let test draft mock inject quarantine pin hide sign note bring mark describe \
    propose suggest offer return throw catch handle declare define import pass choose pick think try stop \
    never don't summarise summarize translate mention skip";

/// Verbs of a deed that are over at once, whoever does them.
pub const AT_ONCE: &str = "show list format start order go";

/// Verbs of a manner that last by their own meaning.
pub const DURATIVE: &str = "keep prefer avoid stick stay treat assume default favour favor refrain hold trust rely respect honour \
    honor";

/// Verbs that tell: what stands before them is who or what.
pub const MODALS: &str = "is are was were has have had do does did will would should must can could may might needs need gets get \
    goes go belong belongs isn't aren't doesn't don't won't shouldn't mustn't can't cannot always never \
    mustn ends starts lives live happen happens";

/// Verbs by which a kind of thing is bound: "comments should", "plots go in grey".
pub const BINDING: &str =
    "should must need needs go goes get gets stay stays belong carry carries take takes shall ought mustn't shouldn't";

/// Verbs that tell, after "we", of a plan and not of a habit.
pub const PLANNED: &str = "drop ship launch retire sunset migrate move switch cancel close discontinue relaunch";

/// Nouns of what is built: how they should be is a requirement, and no way of working.
pub const BUILT: &str = "buttons dialogs dialogues modals popups toasts menus icons cards tiles enemies players characters widgets panels \
    sidebars tabs tooltips notifications users customers visitors clients items levels bullets rows columns pages screens \
    windows banners badges sliders inputs fields forms robots sensors";

/// Words that point at one thing.
pub const POINTING: &str = "the this that these those it them him her me us my your there here now yet";

/// What "in this …" may name without being one thing at hand.
pub const HOMES: &str = "repo repository project team codebase firmware lab office house company firm org organisation organization \
    department school practice country studio newsroom shop clinic ward class group industry field business chat way \
    respect regard sense context place area book course family agency workspace workshop factory plant";

/// What "in this …" names when it is one thing at hand, however the sentence goes on.
pub const ONE_THING: &str = "file function method class line test branch commit pr ticket letter email mail message session run notebook \
    script cell query table chart plot figure slide section chapter paragraph page build release sprint demo meeting call task change deploy \
    hotfix round draft version one time week month patch migration job step case order";

/// What ends a requirement of something that is built: "implement it".
pub const BUILDING: &str = "implement|build|code|add|fix|write|program|do|set it|that|this|them; make it so; write|implement|build|add|code|program|fix that|this|the ?; \
    add that|the check|rule|logic";

/// Verbs in the past that do not end in "ed".
pub const PAST: &str = "lost won took gave kept ran sent wrote built bought sold met held left felt told brought thought caught fell drew chose \
    drove spoke broke wore was were had did went got knew saw made came found began grew stood";

/// Verbs of keeping things somewhere.
pub const KEPT: &str = "kept archived stored filed logged tracked saved recorded collected held hosted documented registered lives live \
    sits sit land lands comes come stands stand are is";

/// Names of times, which are no places.
pub const CALENDAR: &str = "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august \
    september october november december english german french chinese python rust java go english";

/// Words before a noun.
pub const PREPOSITIONS: &str =
    "for in on at with by to from during under without as about of into inside within between across per";

/// Words that hang a clause on another.
pub const SUBORDINATORS: &str = "when whenever if before after until till while because since unless that which who where whether \
    although though once";

/// Words that open a noun, or stand for one.
pub const DETERMINERS: &str = "the a an this that these those my your their his her its every each all any some both many most nobody \
    everyone everybody someone nothing everything there there's that's it's here's";

/// Nouns of places outside the code in which a team keeps things.
pub const PLACES: &str = "channel dashboard dashboards wiki board tracker project space page sheet spreadsheet runbook runbooks \
    calendar mailing shared forum portal drive notebook vault workspace folder database register ticket queue site \
    intranet handbook doc document catalogue catalog console knowledge panel feed inbox repository repo \
    bucket playbook roster archive group boards app system view collection";

/// Names of services that are places by themselves.
pub const SERVICES: &str = "slack jira linear confluence notion grafana datadog sentry kibana pagerduty opsgenie trello asana figma \
    sharepoint teams discord zendesk looker tableau metabase airtable youtrack redmine bugzilla splunk \
    newrelic prometheus miro dropbox onedrive coda clickup basecamp mattermost zulip statuspage gitbook \
    zotero overleaf google gerrit phabricator launchpad servicenow firebase discord benchling datev akeneo fotoweb salesforce \
    hubspot intercom backstage 1password bitwarden moodle canvas superset honeycomb rollbar bugsnag \
    amplitude mixpanel posthog snowflake bigquery databricks";
