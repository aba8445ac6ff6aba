"""What composition makes possible: private algorithms built from simple releases, each with its proof and its error.

The names are loaded when they are first used.

>>> from partita.algorithms import ContinualCounter
>>> counter = ContinualCounter(365, rho="0.1")  # a count of all visits so far, every day of a year, for one budget
>>> round(counter.deviation(), 1)
6.2
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from partita.front import front

if TYPE_CHECKING:
    from partita.algorithms.adaptive_queries.belief import update_bound as update_bound
    from partita.algorithms.adaptive_queries.conversation import Conversation as Conversation
    from partita.algorithms.adaptive_queries.conversation import Reply as Reply
    from partita.algorithms.adaptive_queries.multiplicative_weights import (
        OnlineMultiplicativeWeights as OnlineMultiplicativeWeights,
    )
    from partita.algorithms.adaptive_queries.mwem import MWEM as MWEM
    from partita.algorithms.adaptive_queries.mwem import mwem_bound as mwem_bound
    from partita.algorithms.choosing.frequent import HeavyHitters as HeavyHitters
    from partita.algorithms.choosing.frequent import heavy_hitters as heavy_hitters
    from partita.algorithms.choosing.largest import TopK as TopK
    from partita.algorithms.choosing.largest import top_k as top_k
    from partita.algorithms.choosing.quantile import Quantiles as Quantiles
    from partita.algorithms.choosing.quantile import quantiles as quantiles
    from partita.algorithms.choosing.survey import Shares as Shares
    from partita.algorithms.choosing.survey import Survey as Survey
    from partita.algorithms.estimators.kmeans import KMeans as KMeans
    from partita.algorithms.estimators.linear_regression import LinearRegression as LinearRegression
    from partita.algorithms.estimators.logistic_regression import LogisticRegression as LogisticRegression
    from partita.algorithms.estimators.pca import PCA as PCA
    from partita.algorithms.estimators.search import PrivateSearch as PrivateSearch
    from partita.algorithms.learning.training import Training as Training
    from partita.algorithms.learning.training import TrainingPlan as TrainingPlan
    from partita.algorithms.lessons.comparison import FourSteps as FourSteps
    from partita.algorithms.lessons.comparison import compare_linear as compare_linear
    from partita.algorithms.lessons.comparison import four_steps as four_steps
    from partita.algorithms.lessons.histograms import JointAndSeparate as JointAndSeparate
    from partita.algorithms.lessons.histograms import joint_and_separate as joint_and_separate
    from partita.algorithms.linear.axes import Axes as Axes
    from partita.algorithms.linear.axes import axes_of as axes_of
    from partita.algorithms.linear.linear import Estimate as Estimate
    from partita.algorithms.linear.linear import LinearQueries as LinearQueries
    from partita.algorithms.linear.marginals import Marginals as Marginals
    from partita.algorithms.linear.marginals import MarginalTables as MarginalTables
    from partita.algorithms.linear.strategy import Strategy as Strategy
    from partita.algorithms.linear.workload import Workload as Workload
    from partita.algorithms.streams.stream import ContinualCounter as ContinualCounter
    from partita.algorithms.streams.stream import RunningCounts as RunningCounts
    from partita.algorithms.streams.stream import Stream as Stream
    from partita.algorithms.synthetic.synthesis import AdaptiveMarginals as AdaptiveMarginals
    from partita.algorithms.synthetic.synthetic import Synthetic as Synthetic

# Where each public name lives.
_HOMES = {
    "AdaptiveMarginals": "partita.algorithms.synthetic.synthesis",
    "Axes": "partita.algorithms.linear.axes",
    "ContinualCounter": "partita.algorithms.streams.stream",
    "Conversation": "partita.algorithms.adaptive_queries.conversation",
    "Estimate": "partita.algorithms.linear.linear",
    "FourSteps": "partita.algorithms.lessons.comparison",
    "HeavyHitters": "partita.algorithms.choosing.frequent",
    "JointAndSeparate": "partita.algorithms.lessons.histograms",
    "KMeans": "partita.algorithms.estimators.kmeans",
    "LinearQueries": "partita.algorithms.linear.linear",
    "LinearRegression": "partita.algorithms.estimators.linear_regression",
    "LogisticRegression": "partita.algorithms.estimators.logistic_regression",
    "MWEM": "partita.algorithms.adaptive_queries.mwem",
    "MarginalTables": "partita.algorithms.linear.marginals",
    "Marginals": "partita.algorithms.linear.marginals",
    "OnlineMultiplicativeWeights": "partita.algorithms.adaptive_queries.multiplicative_weights",
    "PCA": "partita.algorithms.estimators.pca",
    "PrivateSearch": "partita.algorithms.estimators.search",
    "Quantiles": "partita.algorithms.choosing.quantile",
    "Reply": "partita.algorithms.adaptive_queries.conversation",
    "RunningCounts": "partita.algorithms.streams.stream",
    "Shares": "partita.algorithms.choosing.survey",
    "Strategy": "partita.algorithms.linear.strategy",
    "Stream": "partita.algorithms.streams.stream",
    "Survey": "partita.algorithms.choosing.survey",
    "Synthetic": "partita.algorithms.synthetic.synthetic",
    "TopK": "partita.algorithms.choosing.largest",
    "Training": "partita.algorithms.learning.training",
    "TrainingPlan": "partita.algorithms.learning.training",
    "Workload": "partita.algorithms.linear.workload",
    "axes_of": "partita.algorithms.linear.axes",
    "compare_linear": "partita.algorithms.lessons.comparison",
    "four_steps": "partita.algorithms.lessons.comparison",
    "heavy_hitters": "partita.algorithms.choosing.frequent",
    "joint_and_separate": "partita.algorithms.lessons.histograms",
    "mwem_bound": "partita.algorithms.adaptive_queries.mwem",
    "quantiles": "partita.algorithms.choosing.quantile",
    "top_k": "partita.algorithms.choosing.largest",
    "update_bound": "partita.algorithms.adaptive_queries.belief",
}

__all__ = [
    "AdaptiveMarginals",
    "Axes",
    "ContinualCounter",
    "Conversation",
    "Estimate",
    "FourSteps",
    "HeavyHitters",
    "JointAndSeparate",
    "KMeans",
    "LinearQueries",
    "LinearRegression",
    "LogisticRegression",
    "MWEM",
    "MarginalTables",
    "Marginals",
    "OnlineMultiplicativeWeights",
    "PCA",
    "PrivateSearch",
    "Quantiles",
    "Reply",
    "RunningCounts",
    "Shares",
    "Strategy",
    "Stream",
    "Survey",
    "Synthetic",
    "TopK",
    "Training",
    "TrainingPlan",
    "Workload",
    "axes_of",
    "compare_linear",
    "four_steps",
    "heavy_hitters",
    "joint_and_separate",
    "mwem_bound",
    "quantiles",
    "top_k",
    "update_bound",
]


__getattr__, __dir__ = front(__name__, _HOMES)
